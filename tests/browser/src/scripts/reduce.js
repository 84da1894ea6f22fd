// Reduces a screenshot to one pixel for each block, with the mean color of the block. If there is a reference, compares
// the two: `mean` is the mean difference of a channel, from 0 to 255, and `changed` the share of blocks that have a
// channel with a difference above `visible`.
const [screenshot, block, visible, reference, done] = arguments;
const read = async (picture) => {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
};
const reduce = ({ data, width, height }) => {
  const small = new ImageData(Math.floor(width / block), Math.floor(height / block));
  for (let place = 0; place < small.data.length; place += 1) {
    const [pixel, channel] = [Math.floor(place / 4), place % 4];
    const left = (pixel % small.width) * block;
    const top = Math.floor(pixel / small.width) * block;
    let sum = 0;
    for (let y = top; y < top + block; y += 1) {
      for (let x = left; x < left + block; x += 1) {
        sum += data[(y * width + x) * 4 + channel];
      }
    }
    small.data[place] = Math.round(sum / block ** 2);
  }
  return small;
};
const encode = (small) => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [small.width, small.height];
  canvas.getContext("2d").putImageData(small, 0, 0);
  return canvas.toDataURL().split(",")[1];
};
const compare = (small, other) => {
  if (small.width !== other.width || small.height !== other.height) {
    return { mean: 255, changed: 1 };
  }
  let [sum, changed] = [0, 0];
  for (let place = 0; place < small.data.length; place += 4) {
    const channels = [0, 1, 2].map((channel) => Math.abs(small.data[place + channel] - other.data[place + channel]));
    sum += channels[0] + channels[1] + channels[2];
    changed += Math.max(...channels) > visible ? 1 : 0;
  }
  const blocks = small.data.length / 4;
  return { mean: sum / blocks / 3, changed: changed / blocks };
};
const work = async () => {
  const small = reduce(await read(screenshot));
  const compared = reference ? compare(small, await read(reference)) : {};
  return { picture: encode(small), ...compared };
};
work().then(done, (error) => done({ error: String(error) }));
