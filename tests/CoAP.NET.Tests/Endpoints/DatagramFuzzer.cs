using System.Buffers.Binary;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>
/// Makes datagrams that know the format: sound messages of all types and codes, with options, tokens and Message IDs that play games, and
/// broken ones made of them.
/// </summary>
internal sealed class DatagramFuzzer(int seed, string[] paths)
{
    private static readonly byte[] s_codes = [0x01, 0x01, 0x01, 0x02, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x1f, 0x00, 0x21, 0x41,
        0x45, 0x5f, 0x80, 0x84, 0xa0, 0xbf, 0xc1, 0xe1, 0xff];
    private static readonly int[] s_numbers = [0, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 15, 16, 17, 19, 20, 23, 27, 28, 31, 35, 39, 60, 252,
        258, 292, 2048, 2049, 9998, 9999, 65_000, 65_535];
    private static readonly byte[] s_telling = [0x00, 0x01, 0x0d, 0x0e, 0x0f, 0x40, 0x4d, 0x4e, 0x4f, 0xb0, 0xd0, 0xdd, 0xe0, 0xee, 0xf0,
        0xfe, 0xff];

    private static readonly CoapDatagramSerializer s_generous =
        new(new CoapSerializerOptions { MaxTokenLength = CoapToken.MaxExtendedLength });

    private readonly List<byte[]> _recent = [];

    public Random Random { get; } = new(seed);

    /// <summary>Whether a datagram is a Non-confirmable success response with Observe.</summary>
    public static bool IsNonConfirmableNotification(byte[] bytes) =>
        bytes.Length > 4 && ((bytes[0] >> 4) & 3) == (int)CoapMessageType.NonConfirmable
        && s_generous.TryDeserialize(bytes, out CoapMessage? message, out _)
        && message.Code.IsSuccess && message.Options.Contains(OptionNumber.Observe);

    /// <summary>The next datagram. A Message ID that the other side used may be given, to be answered.</summary>
    public byte[] Next(ushort? theirs)
    {
        if (_recent.Count > 0 && Random.Next(8) == 0)
        {
            return _recent[Random.Next(_recent.Count)];
        }

        byte[] bytes = Sound(theirs);
        if (Random.Next(2) == 0)
        {
            bytes = Break(bytes);
        }

        if (_recent.Count < 200)
        {
            _recent.Add(bytes);
        }
        else
        {
            _recent[Random.Next(_recent.Count)] = bytes;
        }

        return bytes;
    }

    /// <summary>Changes a message in one to three places.</summary>
    public byte[] Break(byte[] sound)
    {
        List<byte> bytes = [.. sound];
        for (int changes = 1 + Random.Next(3); changes > 0; changes--)
        {
            int at = Random.Next(bytes.Count + 1);
            switch (Random.Next(7))
            {
                case 0 or 1 when at < bytes.Count:
                    bytes[at] ^= (byte)(1 << Random.Next(8));
                    break;
                case 2 when at < bytes.Count:
                    bytes[at] = s_telling[Random.Next(s_telling.Length)];
                    break;
                case 3:
                    bytes.Insert(at, s_telling[Random.Next(s_telling.Length)]);
                    break;
                case 4 when at < bytes.Count:
                    bytes.RemoveAt(at);
                    break;
                case 5:
                    bytes.RemoveRange(at, bytes.Count - at);
                    break;
                default:
                    bytes.AddRange(bytes.GetRange(at, bytes.Count - at));
                    break;
            }
        }

        return [.. bytes];
    }

    private byte[] Sound(ushort? theirs)
    {
        int type = Random.Next(6) switch { 0 or 1 => 0, 2 or 3 => 1, 4 => 2, _ => 3 };
        bool answers = theirs is not null && type >= 2 && Random.Next(2) == 0;
        byte code = type >= 2 && Random.Next(2) == 0 ? (byte)0 : Random.Next(20) == 0 ? (byte)Random.Next(256)
            : s_codes[Random.Next(s_codes.Length)];
        int tokenLength = Random.Next(12) switch
        {
            0 => 13 + Random.Next(60),
            1 => 0,
            2 => 9 + Random.Next(4),
            3 => 269 + Random.Next(40),
            _ => 1 + Random.Next(8)
        };
        List<byte> bytes = [(byte)(0x40 | type << 4 | Field(tokenLength)), code, 0, 0];
        Extend(bytes, tokenLength);
        BinaryPrimitives.WriteUInt16BigEndian(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(bytes)[2..],
            answers ? theirs!.Value : (ushort)Random.Next(Random.Next(4) == 0 ? 0x10000 : 200));
        if (code == 0 && Random.Next(10) > 0)
        {
            bytes[0] &= 0xf0;
            bytes.RemoveRange(4, bytes.Count - 4);
            return [.. bytes];
        }

        byte filler = (byte)Random.Next(4);
        for (int i = 0; i < tokenLength; i++)
        {
            bytes.Add(Random.Next(4) == 0 ? (byte)Random.Next(256) : filler);
        }

        AddOptions(bytes);
        if (Random.Next(3) == 0)
        {
            bytes.Add(0xff);
            for (int i = 1 + Random.Next(Random.Next(20) == 0 ? 1500 : 20); i > 0; i--)
            {
                bytes.Add((byte)Random.Next(256));
            }
        }

        return [.. bytes];
    }

    private void AddOptions(List<byte> bytes)
    {
        List<(int Number, byte[] Value)> options = [];
        if (Random.Next(8) > 0)
        {
            foreach (string segment in paths[Random.Next(paths.Length)].Split('/', StringSplitOptions.RemoveEmptyEntries))
            {
                options.Add((11, Encoding.UTF8.GetBytes(segment)));
            }
        }

        for (int i = Random.Next(3) == 0 ? Random.Next(Random.Next(30) == 0 ? 300 : 6) : 0; i > 0; i--)
        {
            byte[] value = new byte[Random.Next(10) == 0 ? Random.Next(300) : Random.Next(5)];
            Random.NextBytes(value);
            options.Add((s_numbers[Random.Next(s_numbers.Length)], value));
        }

        int before = 0;
        foreach ((int number, byte[] value) in options.OrderBy(static option => option.Number))
        {
            bytes.Add((byte)(Field(number - before) << 4 | Field(value.Length)));
            Extend(bytes, number - before);
            Extend(bytes, value.Length);
            bytes.AddRange(value);
            before = number;
        }
    }

    private static int Field(int value) => value < 13 ? value : value < 269 ? 13 : 14;

    private static void Extend(List<byte> bytes, int value)
    {
        if (value >= 269)
        {
            bytes.Add((byte)((value - 269) >> 8));
            bytes.Add((byte)(value - 269));
        }
        else if (value >= 13)
        {
            bytes.Add((byte)(value - 13));
        }
    }
}
