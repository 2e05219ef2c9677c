using System.Numerics;
using CoAP.NET.Messages;
using CoAP.NET.Requests;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Exchanges;

public class TokenSequenceTests
{
    [Fact]
    [Rfc("7252-5.3.1-2", "9175-4.2-1")]
    public void A_hundred_thousand_tokens_of_one_key_never_repeat()
    {
        TokenSequence tokens = new(new VirtualRandom(1));
        HashSet<CoapToken> seen = [];
        for (int i = 0; i < 100_000; i++)
        {
            Assert.True(seen.Add(tokens.Next()));
        }
    }

    [Fact]
    [Rfc("7252-5.3.1-3")]
    public void Tokens_have_four_bytes_and_no_pattern()
    {
        TokenSequence tokens = new(new VirtualRandom(2));
        uint previous = 0;
        long flipped = 0;
        int[] perBit = new int[32];
        for (int i = 0; i < 10_000; i++)
        {
            byte[] bytes = tokens.Next().ToArray();
            Assert.Equal(4, bytes.Length);
            uint value = System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(bytes);
            flipped += BitOperations.PopCount(value ^ previous);
            for (int bit = 0; bit < 32; bit++)
            {
                perBit[bit] += (int)(value >> bit) & 1;
            }

            previous = value;
        }

        // Of random 32-bit numbers half the bits flip from one to the next, and each bit is set half the time.
        Assert.InRange(flipped / 10_000.0, 15.5, 16.5);
        Assert.All(perBit, count => Assert.InRange(count, 4_700, 5_300));
    }

    [Fact]
    public void Tokens_grow_to_eight_bytes_when_all_tokens_of_four_bytes_are_used()
    {
        TokenSequence tokens = new(new VirtualRandom(3), start: uint.MaxValue - 10UL);
        List<CoapToken> taken = [.. Enumerable.Range(0, 1_000).Select(_ => tokens.Next())];
        Assert.Equal(11, taken.Count(token => token.Length == 4));
        Assert.Equal(989, taken.Count(token => token.Length == 8));
        Assert.Equal(1_000, taken.Distinct().Count());
    }

    [Fact]
    public void Two_keys_give_different_tokens()
    {
        TokenSequence first = new(new VirtualRandom(4));
        TokenSequence second = new(new VirtualRandom(5));
        Assert.NotEqual(first.Next(), second.Next());
    }
}
