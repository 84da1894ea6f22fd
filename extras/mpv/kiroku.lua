-- Reports the videos that mpv plays to Kiroku. Requires curl. docs/players.md, "mpv", says how to set it up.
local utils = require("mp.utils")
local INTERVAL_S, SPACING_S, NULL = 60, 10, package.config:sub(1, 1) == "/" and "/dev/null" or "NUL"
local EXTENSIONS = " 3gp avi flv m2ts m4v mkv mov mp4 mpeg mpg ogm ogv rmvb ts webm wmv "
-- curl reads the address from this file, so neither the list of processes nor a log of mpv has it.
local config = mp.find_config_file("script-opts/kiroku.conf")
local sent_at_s, was_finished, is_waiting = -SPACING_S, false, false

-- Returns the name of the video without its folders, or nil for everything else, such as music with a cover.
local function file_name()
    local track, name = mp.get_property_native("current-tracks/video"), mp.get_property("path", "")
    if not track or track.image or track.albumart then return nil end
    local is_url = name:find("://", 1, true)
    -- Programs that look for streams give mpv the title, because the address has none.
    local title = is_url and mp.get_property("force-media-title", "") or ""
    if title ~= "" then return (title:gsub("[/\\]", " ")) end
    name = (is_url and name:gsub("[?#].*", "") or name):match("[^/\\]*$")
    if is_url then name = name:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end) end
    return EXTENSIONS:find(" " .. (name:match("%.(%w+)$") or "?"):lower() .. " ", 1, true) and name
end

-- Returns the escape of a character in JSON. On Windows, the arguments of curl can lose characters that are not ASCII.
local function escape(character)
    local code = character:byte() % 2 ^ (7 - #character)
    for at = 2, #character do code = code * 64 + character:byte(at) % 64 end
    if code < 0x10000 then return ("\\u%04x"):format(code) end
    return ("\\u%04x\\u%04x"):format(0xD7C0 + math.floor(code / 1024), 0xDC00 + code % 1024)
end

-- Sends a message. A detached process goes on when mpv ends, but mpv would wait for its output, so it has none.
local function send(message, is_detached)
    local json = utils.format_json(message):gsub("[\194-\244][\128-\191][\128-\191]?[\128-\191]?", escape)
    local args = { "curl", "--config", config, "--silent", "--max-time", "30", "--output", NULL, "--data-raw", json,
        "--header", "Content-Type: application/json", "--write-out", is_detached and "" or "%{http_code} %{exitcode}" }
    local command = { name = "subprocess", args = args, playback_only = false, detach = is_detached }
    command.capture_stdout, is_waiting = not is_detached, not is_detached
    mp.command_native_async(command, function(_, result)
        local status, code = (result and result.stdout or ""):match("(%d+) (%d+)")
        is_waiting = false
        if is_detached or status == "200" then return mp.msg.verbose("message sent") end
        mp.msg.error(("no message received: HTTP status %s, exit code %s of curl"):format(status or "?", code or "?"))
    end)
end

local function report(is_last)
    local name, duration_ms = file_name(), math.floor(mp.get_property_number("duration", 0) * 1000)
    local position_ms = math.min(math.floor(mp.get_property_number("time-pos", -1) * 1000), duration_ms)
    if not name or position_ms < 0 or duration_ms <= 0 then return end
    -- A stream that breaks off is at its end, too.
    local finished, now_s = mp.get_property_bool("eof-reached") and position_ms > 0.9 * duration_ms, mp.get_time()
    local is_early = now_s - sent_at_s < SPACING_S and not (is_last and is_waiting)
    if finished and was_finished or not finished and is_early then return end
    sent_at_s, was_finished = now_s, finished
    send({ file = name, position_ms = position_ms, duration_ms = duration_ms, finished = finished, at = os.time() },
        is_last or finished)
end

if not config then return mp.msg.error("script-opts/kiroku.conf is missing") end
mp.add_periodic_timer(INTERVAL_S, function() return mp.get_property_bool("core-idle") or report(false) end)
mp.register_event("start-file", function() was_finished = false end)
mp.add_hook("on_unload", 50, function() report(true) end)
-- With keep-open, mpv pauses at the end of a file.
mp.observe_property("pause", "bool", function(_, is_paused) return is_paused and report(false) end)
