using System.Buffers.Binary;

namespace CoAP.NET.Content.Tests;

/// <summary>
/// Payloads that are made to hurt: nothing but the verdict comes of them, and they cost what they weigh. CONTENT_ROUNDS and CONTENT_SEED
/// make the campaign longer or another one.
/// </summary>
public sealed class HostileContentTests
{
    private static readonly string[] s_packs =
    [
        """[{"bn":"urn:dev:ow:10e2073a01080063:","bt":1.276020076e9,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},{"n":"current","t":-5,"v":1.2},{"t":-4,"s":1.3e2}]""",
        """[{"n":"a","vs":"text"},{"n":"b","vb":true},{"n":"c","vd":"aGkg"},{"n":"d","v":0,"ut":3,"x":{"y":[1,2,null]}}]""",
    ];

    [Theory]
    [Rfc("8949-10-1")]
    [InlineData("c4823b7fffffffffffffff01")] // a decimal fraction with the exponent -2^63
    [InlineData("c4821b7fffffffffffffff01")]
    [InlineData("c4821903e901")] // 1001
    [InlineData("f97e00")] // NaN
    [InlineData("f97c00")] // infinity
    [InlineData("c4821903e8c249ffffffffffffffffff")] // more than a double holds
    public void A_number_that_no_double_holds_is_refused(string hex)
    {
        Assert.False(UntrustedCborReader.TryRead(Wire.Hex(hex), UntrustedCborReader.ReadNumber, out _, out ContentFault fault));
        Assert.Equal(0, fault.Offset);
    }

    [Fact]
    [Rfc("8949-10-1")]
    public void A_huge_bignum_is_refused_before_it_is_computed()
    {
        byte[] bytes = new byte[6 + (8 << 20)];
        bytes.AsSpan().Fill(0xff);
        bytes[0] = 0xc2;
        bytes[1] = 0x5a;
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(2), bytes.Length - 6);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.False(UntrustedCborReader.TryRead(bytes, UntrustedCborReader.ReadNumber, out _, out _));

        // The string itself is copied once; digits of it would be several times as much.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, bytes.Length + 100_000);
    }

    [Fact]
    public void A_long_base_name_does_not_multiply_the_memory_of_short_records()
    {
        byte[] payload = Encoding.UTF8.GetBytes(
            $"[{{\"bn\":\"{new string('a', 500_000)}\",\"v\":1}}{string.Concat(Enumerable.Repeat(",{\"v\":1}", 9_000))}]");
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.False(CoapSenmlPack.TryParse(payload, CoapContentFormat.SenmlJson, out _, out CoapContentSyntaxError error));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10 * payload.Length);
        Assert.Equal(1, error.Offset);
        error.Message.Mentions("1024");
    }

    [Fact]
    public void A_name_may_have_1024_characters_including_its_base_name()
    {
        Assert.Equal(1024,
            new CoapSenmlPack(new CoapSenmlRecord { BaseName = new string('a', 1000), Name = new string('b', 24), Value = 1 })
                .Resolve(DateTimeOffset.UnixEpoch)[0].Name!.Length);
        Assert.Throws<ArgumentException>(
            () => new CoapSenmlPack(new CoapSenmlRecord { BaseName = new string('a', 1000), Name = new string('b', 25), Value = 1 }));
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack(new CoapSenmlRecord { BaseName = "", Name = "-a", Value = 1 }));
        Assert.Throws<ArgumentException>(
            () => new CoapSenmlPack(new CoapSenmlRecord { BaseName = "", Name = "", Value = 1 }));
        Assert.Throws<ArgumentException>(() => new CoapSenmlPack(new CoapSenmlRecord { BaseName = "a b", Value = 1 }));
    }

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("8132-5-1")]
    public void A_patch_of_many_members_takes_time_proportional_to_its_size()
    {
        // Each member once more than the last: with the product of both this would not end for minutes.
        const int Members = 300_000;
        byte[] target = Encoding.UTF8.GetBytes("{" + string.Join(',', Enumerable.Range(0, Members).Select(i => $"\"{i}\":1")) + "}");
        byte[] patch = Encoding.UTF8.GetBytes(
            "{" + string.Join(',', Enumerable.Range(0, Members).Select(i => $"\"{i}\":null")) + ",\"x\":{\"y\":null,\"z\":2}}");
        Assert.Equal("""{"x":{"z":2}}""", Encoding.UTF8.GetString(CoapMergePatch.Apply(target, patch)));
    }

    [Theory]
    [InlineData("{}", "{\"\\ud800\":1}")]
    [InlineData("{}", "{\"a\":\"\\ud800\"}")]
    [InlineData("{\"\\udc00\":1}", "{\"a\":1}")]
    public void An_unpaired_surrogate_in_a_merge_patch_is_refused_or_gives_valid_JSON(string target, string patch)
    {
        try
        {
            byte[] result = CoapMergePatch.Apply(Encoding.UTF8.GetBytes(target), Encoding.UTF8.GetBytes(patch));
            JsonDocument.Parse(result).Dispose();
        }
        catch (JsonException)
        {
        }
    }

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("8428-5-1")]
    public void Mutated_payloads_are_parsed_or_refused_without_other_exceptions()
    {
        int rounds = Campaign.Rounds(4_000);
        Random random = new(Campaign.Seed(1));
        byte[][] seeds =
        [
            .. s_packs.Select(Encoding.UTF8.GetBytes),
            .. s_packs.Select(pack =>
                CoapSenmlPack.Parse(Encoding.UTF8.GetBytes(pack), CoapContentFormat.SenmlJson).ToBytes(CoapContentFormat.SenmlCbor)),
            Wire.Hex("81a2006161025fc4823b7fffffffffffffff01ff"),
            Wire.Hex("81a2006161 02c482201a00010000".Replace(" ", "")),
            Wire.Hex("9fbf0061610201ffff"),
        ];
        int read = 0;
        for (int round = 0; round < rounds; round++)
        {
            byte[] payload = Mutate(seeds[random.Next(seeds.Length)], random);
            foreach (CoapContentFormat format in new[] { CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor })
            {
                if (!CoapSenmlPack.TryParse(payload, format, out CoapSenmlPack? pack, out CoapContentSyntaxError error, maxRecords: 100))
                {
                    Assert.InRange(error.Offset, 0, payload.Length);
                    Assert.NotEmpty(error.Message);
                    continue;
                }

                read++;
                Assert.All(pack.Resolve(DateTimeOffset.UnixEpoch), record => Assert.True(record.Name!.Length > 0));
                foreach (CoapContentFormat other in new[] { CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor })
                {
                    byte[] written = pack.ToBytes(other);
                    Assert.True(CoapSenmlPack.TryParse(written, other, out CoapSenmlPack? again, out error),
                        $"{Wire.Hex(payload)}: {error.Message}");
                    Assert.Equal(written, again!.ToBytes(other));
                }
            }

            Patch(payload, Mutate(seeds[random.Next(2)], random));
            Patch(seeds[random.Next(2)], payload);
        }

        Assert.True(read > rounds / 100, $"{read} of {rounds} could be read");
    }

    private static void Patch(byte[] target, byte[] patch)
    {
        try
        {
            byte[] result = CoapMergePatch.Apply(target, patch);

            // What a patch gives does not change when it is applied again.
            Assert.Equal(result, CoapMergePatch.Apply(result, patch));
        }
        catch (JsonException)
        {
        }
    }

    private static byte[] Mutate(byte[] seed, Random random)
    {
        List<byte> bytes = [.. seed];
        for (int i = random.Next(4); i >= 0; i--)
        {
            int at = random.Next(bytes.Count);
            switch (random.Next(6))
            {
                case 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    bytes.Insert(at, bytes[random.Next(bytes.Count)]);
                    break;
                case 3 when bytes.Count > 8:
                    bytes.RemoveRange(at, Math.Min(random.Next(1, 4), bytes.Count - at));
                    break;
                case 4:
                    bytes.InsertRange(at, bytes.GetRange(at, Math.Min(random.Next(1, 16), bytes.Count - at)));
                    break;
                default:
                    bytes[at] = random.Next(3) switch { 0 => 0xff, 1 => 0x1b, _ => (byte)'9' };
                    break;
            }

            if (bytes.Count == 0)
            {
                bytes.Add(0);
            }
        }

        return [.. bytes];
    }
}
