using System.Formats.Cbor;
using System.Numerics;

namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>
/// Diagnostic notation there and back, and texts that are made to hurt. CONTENT_ROUNDS and CONTENT_SEED make the campaigns longer or other
/// ones.
/// </summary>
public sealed class NotationCampaignTests
{
    private static readonly string[] s_seeds =
    [
        """{1: "a\ud83d\ude00", 2: h'01 /x/ 02', 3: b64'AQI=', 4: b32'CI2FM6A', 5: h32'28Q5CU0', 6: 'text', 7: <<1, "a", <<2>> >>_1}""",
        """[_ 1_0, -18446744073709551617, 0xfff_2, 0o17, 0b11, 1.5_1, -0x1.8p-3, NaN_2, -Infinity, 1e300, (_ "a", "b"), ''_, ""_ ]""",
        """{_1 "a" + h'62': [_0 1, 2,], 1(0): simple(99), / comment / 24_1(undefined): null, # line""" + "\n true: false // end\n}",
    ];

    [Fact]
    [Trait("Category", "Campaign")]
    public void Formatted_CBOR_is_parsed_back_to_the_same_bytes()
    {
        int rounds = Campaign.Rounds(4_000);
        Random random = new(Campaign.Seed(1));
        for (int round = 0; round < rounds; round++)
        {
            CborWriter writer = CborNumberWriter.Create();
            int items = random.Next(1, 4);
            for (int i = 0; i < items; i++)
            {
                WriteItem(writer, random, 5);
            }

            byte[] cbor = writer.Encode();
            int width = random.Next(2) == 0 ? int.MaxValue : random.Next(1, 100);
            Assert.True(CoapCborNotation.TryFormat(cbor, out string notation, out CoapContentSyntaxError error, width, isSequence: true));
            Assert.True(CoapCborNotation.TryParse(notation, out byte[] again, out error, isSequence: true), $"{error}: {notation}");
            Assert.True(cbor.AsSpan().SequenceEqual(again), $"{Wire.Hex(cbor)}: {notation}");
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Parsing_and_formatting_a_notation_gives_the_same_notation()
    {
        int rounds = Campaign.Rounds(20_000);
        Random random = new(Campaign.Seed(1));
        byte[] bytes = new byte[32];
        int read = 0;
        for (int round = 0; round < rounds; round++)
        {
            random.NextBytes(bytes);
            if (CoapCborNotation.TryFormat(bytes.AsSpan(0, random.Next(1, 32)), out string notation, out _, isSequence: true))
            {
                read++;
                Assert.True(CoapCborNotation.TryParse(
                    notation, out byte[] cbor, out CoapContentSyntaxError error, isSequence: true), $"{error}");
                Assert.True(CoapCborNotation.TryFormat(cbor, out string again, out _, isSequence: true));
                Assert.Equal(notation, again);
            }
        }

        Assert.True(read > rounds / 100, $"{read} of {rounds} could be read");
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void Broken_notation_gives_an_error_or_well_formed_CBOR()
    {
        int rounds = Campaign.Rounds(40_000);
        Random random = new(Campaign.Seed(1));
        int read = 0;
        foreach (string seed in s_seeds)
        {
            CoapCborNotation.Parse(seed);
        }

        for (int round = 0; round < rounds; round++)
        {
            string notation = Mutate(s_seeds[random.Next(s_seeds.Length)], random);
            if (!CoapCborNotation.TryParse(notation, out byte[] cbor, out CoapContentSyntaxError error, isSequence: random.Next(2) == 0,
                maxSize: random.Next(1, 200)))
            {
                Assert.InRange(error.Offset, 0, notation.Length);
                Assert.NotEmpty(error.Message);
                Assert.DoesNotContain(error.Message, char.IsControl);
                Assert.DoesNotContain(error.Message, char.IsSurrogate);
                continue;
            }

            read++;
            Assert.True(CoapCborNotation.TryFormat(cbor, out string written, out error, isSequence: true), $"{error}: {notation}");
            Assert.True(CoapCborNotation.TryParse(written, out byte[] again, out error, isSequence: true), $"{error}: {written}");
            Assert.True(CoapCborNotation.TryFormat(again, out string twice, out _, isSequence: true));
            Assert.Equal(written, twice);
        }

        Assert.True(read > rounds / 200, $"{read} of {rounds} could be read");
    }

    [Theory]
    [InlineData("[", "]")]
    [InlineData("{1: ", "}")]
    [InlineData("{[", "]: 1}")]
    [InlineData("1(", ")")]
    [InlineData("<<", ">>")]
    [InlineData("(_ <<", ">>)")]
    [InlineData("'a' + <<", ">>")]
    public void Notation_nested_beyond_MaxDepth_is_refused(string open, string close)
    {
        const int Deep = 100_000;
        string tooDeep = string.Concat(Enumerable.Repeat(open, Deep)) + "1" + string.Concat(Enumerable.Repeat(close, Deep));
        int perLevel = open == "{[" ? 2 : 1;
        int most = (CoapCborNotation.MaxDepth - 1) / perLevel;

        Assert.False(CoapCborNotation.TryParse(tooDeep, out _, out CoapContentSyntaxError error));
        Assert.Equal("items are nested more than 64 deep", error.Message);
        Assert.True(CoapCborNotation.TryParse(
            string.Concat(Enumerable.Repeat(open, most)) + "1" + string.Concat(Enumerable.Repeat(close, most)), out byte[] cbor, out error),
            error.ToString());
        Assert.True(CoapCborNotation.TryFormat(cbor, out _, out error), error.ToString());
    }

    [Fact]
    public void The_size_of_the_parsed_CBOR_is_limited()
    {
        string million = $"[{string.Concat(Enumerable.Repeat("1,", CoapCborNotation.DefaultMaxSize - 5))}]";
        Assert.Equal(CoapCborNotation.DefaultMaxSize, CoapCborNotation.Parse(million).Length);

        string more = million[..^1] + "h'']";
        Assert.False(CoapCborNotation.TryParse(more, out _, out CoapContentSyntaxError error));
        Assert.Equal("this item exceeds the limit of 1048576 bytes of CBOR", error.Message);
        Assert.Equal(CoapCborNotation.DefaultMaxSize + 1, CoapCborNotation.Parse(more, maxSize: int.MaxValue).Length);
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapCborNotation.TryParse("1", out _, out _, maxSize: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => CoapCborNotation.Parse("1", maxSize: -1));
    }

    [Theory]
    [InlineData("9")]
    [InlineData("-0xf")]
    [InlineData("0o7")]
    [InlineData("0b1")]
    public void An_integer_of_very_many_digits_is_refused_before_it_is_computed(string begin)
    {
        string digits = new(begin[^1], NotationNumbers.MaxDigits - 1);
        Assert.True(CoapCborNotation.TryParse(begin + digits, out _, out CoapContentSyntaxError error), error.ToString());
        Assert.False(CoapCborNotation.TryParse(begin + digits + begin[^1], out _, out error));
        error.Message.Mentions("1024 digits");
        Assert.False(CoapCborNotation.TryParse(begin + new string(begin[^1], 1_000_000), out _, out error));
    }

    [Theory]
    [InlineData("0.", true)]
    [InlineData("1e", false)]
    [InlineData("1e-", true)]
    [InlineData("0x0.", false)]
    [InlineData("0x1p-", false)]
    [InlineData("\"", false)]
    [InlineData("h'", false)]
    [InlineData("/", false)]
    [InlineData("#", false)]
    [InlineData("a", false)]
    [InlineData("\"\" + ", false)]
    public void Very_long_numbers_are_parsed_or_refused(string begin, bool isRead) =>
        Assert.Equal(isRead, CoapCborNotation.TryParse(begin + new string('9', 1_000_001), out _, out _));

    // Preferred serialization, but with lengths both definite and not.
    private static void WriteItem(CborWriter writer, Random random, int depth)
    {
        switch (random.Next(depth == 0 ? 9 : 13))
        {
            case 0:
                writer.WriteUInt64((ulong)random.NextInt64() >> random.Next(64));
                break;
            case 1:
                writer.WriteInt64(~(random.NextInt64() >> random.Next(63)));
                break;
            case 2:
                byte[] magnitude = new byte[random.Next(9, UntrustedCborReader.MaxBignumBytes + 8)];
                random.NextBytes(magnitude);
                magnitude[0] |= 1;
                BigInteger value = new(magnitude, isUnsigned: true, isBigEndian: true);
                writer.WriteInteger(random.Next(2) == 0 ? value : -1 - value);
                break;
            case 3:
                double number = random.Next(4) switch
                {
                    0 => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)),
                    1 => BitConverter.Int32BitsToSingle(random.Next(int.MinValue, int.MaxValue)),
                    2 => (double)BitConverter.UInt16BitsToHalf((ushort)random.Next(65536)),
                    _ => random.Next(-1000, 1000),
                };
                writer.WriteDouble(number);
                break;
            case 4:
                writer.WriteTextString(Text(random));
                break;
            case 5:
                writer.WriteByteString(Bytes(random));
                break;
            case 6:
                writer.WriteSimpleValue((CborSimpleValue)random.Next(24));
                break;
            case 7:
                writer.WriteSimpleValue((CborSimpleValue)random.Next(32, 256));
                break;
            case 8:
                WriteParts(writer, random);
                break;
            case 9:
                // Not those of big integers, which are numbers in the notation.
                writer.WriteTag((CborTag)(4 + ((ulong)random.NextInt64() >> random.Next(64)) % (ulong.MaxValue - 4)));
                WriteItem(writer, random, depth - 1);
                break;
            case 10:
                int items = random.Next(random.Next(30) == 0 ? 30 : 4);
                writer.WriteStartArray(items);
                WriteItems(writer, random, depth, items);
                writer.WriteEndArray();
                break;
            case 11:
                int pairs = random.Next(4);
                writer.WriteStartMap(pairs);
                WriteItems(writer, random, depth, 2 * pairs);
                writer.WriteEndMap();
                break;
            case 12 when random.Next(2) == 0:
                writer.WriteStartMap(null);
                WriteItems(writer, random, depth, random.Next(3) * 2);
                writer.WriteEndMap();
                break;
            default:
                writer.WriteStartArray(null);
                WriteItems(writer, random, depth, random.Next(3) * 2);
                writer.WriteEndArray();
                break;
        }
    }

    private static void WriteParts(CborWriter writer, Random random)
    {
        if (random.Next(2) == 0)
        {
            writer.WriteStartIndefiniteLengthTextString();
            for (int i = random.Next(3); i > 0; i--)
            {
                writer.WriteTextString(Text(random));
            }

            writer.WriteEndIndefiniteLengthTextString();
        }
        else
        {
            writer.WriteStartIndefiniteLengthByteString();
            for (int i = random.Next(3); i > 0; i--)
            {
                writer.WriteByteString(Bytes(random));
            }

            writer.WriteEndIndefiniteLengthByteString();
        }
    }

    private static void WriteItems(CborWriter writer, Random random, int depth, int count)
    {
        for (int i = 0; i < count; i++)
        {
            WriteItem(writer, random, depth - 1);
        }
    }

    private static string Text(Random random)
    {
        StringBuilder text = new();
        for (int i = random.Next(random.Next(10) == 0 ? 300 : 6); i > 0; i--)
        {
            int code = random.Next(4) switch
            {
                0 => random.Next(0x80),
                1 => random.Next(0x800),
                2 => random.Next(0x10000),
                _ => random.Next(0x110000),
            };
            text.Append(Rune.IsValid(code) ? new Rune(code).ToString() : "\"");
        }

        return text.ToString();
    }

    private static byte[] Bytes(Random random)
    {
        byte[] bytes = new byte[random.Next(random.Next(10) == 0 ? 300 : 6)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static string Mutate(string seed, Random random)
    {
        const string Special = "[]{}()<>_'\"\\/#,:+-.0123456789abefhinopsux \n\0\u001b\ud800\udc00ü";
        StringBuilder text = new(seed);
        for (int i = random.Next(4); i >= 0 && text.Length > 0; i--)
        {
            int at = random.Next(text.Length);
            int length = random.Next(1, Math.Min(16, text.Length - at) + 1);
            switch (random.Next(5))
            {
                case 0:
                    text[at] = Special[random.Next(Special.Length)];
                    break;
                case 1:
                    text.Insert(at, Special[random.Next(Special.Length)]);
                    break;
                case 2:
                    text.Remove(at, length);
                    break;
                case 3:
                    text.Insert(random.Next(text.Length), text.ToString(at, length));
                    break;
                default:
                    text.Length = random.Next(4) == 0 ? at : text.Length;
                    text.Append(random.Next(4) == 0 ? Special[random.Next(Special.Length)] : ' ');
                    break;
            }
        }

        return text.ToString();
    }
}
