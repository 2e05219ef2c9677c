namespace CoAP.NET.Tests.Serialization;

/// <summary>Makes broken messages of sound ones; the same seed makes the same.</summary>
internal sealed class Mutator(byte[][] sound, int seed)
{
    // Bytes that mean something: markers, reserved and extended fields, ends of ranges.
    private static readonly byte[] s_telling = [0x00, 0x01, 0x0d, 0x0e, 0x0f, 0x10, 0x40, 0x4d, 0x4e, 0x4f, 0xb0, 0xd0, 0xd1, 0xdd, 0xe0,
        0xe1, 0xee, 0xf0, 0xfe, 0xff];

    private readonly Random _random = new(seed);

    public byte[] Next()
    {
        List<byte> bytes = [.. sound[_random.Next(sound.Length)]];
        for (int changes = 1 + _random.Next(3); changes > 0; changes--)
        {
            Change(bytes);
        }

        return [.. bytes];
    }

    private void Change(List<byte> bytes)
    {
        int at = _random.Next(bytes.Count + 1);
        switch (_random.Next(7))
        {
            case 0 when at < bytes.Count:
                bytes[at] ^= (byte)(1 << _random.Next(8));
                break;
            case 1 when at < bytes.Count:
                bytes[at] = s_telling[_random.Next(s_telling.Length)];
                break;
            case 2:
                bytes.Insert(at, s_telling[_random.Next(s_telling.Length)]);
                break;
            case 3 when at < bytes.Count:
                bytes.RemoveAt(at);
                break;
            case 4:
                bytes.RemoveRange(at, bytes.Count - at);
                break;
            case 5:
                bytes.AddRange(bytes.GetRange(at, bytes.Count - at));
                break;
            default:
                bytes.Insert(at, (byte)_random.Next(256));
                break;
        }
    }
}
