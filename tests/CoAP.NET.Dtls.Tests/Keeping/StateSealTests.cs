using CoAP.NET.Dtls.Keeping;
using CoAP.NET.Testing;

namespace CoAP.NET.Dtls.Tests.Keeping;

/// <summary>How states of sessions are encrypted.</summary>
public sealed class StateSealTests
{
    [Fact]
    public void Several_threads_open_states_of_several_processes_at_the_same_time()
    {
        const int Processes = 24;
        (byte[] Plain, byte[] State)[] all = [.. Enumerable.Range(0, Processes).SelectMany(static process =>
        {
            using StateSeal seal = new(MemoryKeeper.Key, new VirtualRandom((ulong)process));
            byte[][] plains = [.. Enumerable.Range(0, 50).Select(i => (byte[])[(byte)process, (byte)i])];
            return plains.Select(plain => (plain, seal.Seal(plain))).ToArray();
        }).OrderBy(static pair => pair.Item1[1])];
        using StateSeal opening = new(MemoryKeeper.Key, new VirtualRandom(1_000));
        Parallel.ForEach(all, pair => Assert.Equal(pair.Plain, Open(opening, pair.State, 2)!));
        opening.Dispose();
        Assert.Null(Open(opening, all[0].State, 2));
        Assert.Throws<ObjectDisposedException>(() => opening.Seal(all[0].Plain));
    }

    [Fact]
    public void A_state_that_is_longer_than_the_buffer_opens_as_well()
    {
        using StateSeal seal = new(MemoryKeeper.Key, new VirtualRandom(1));
        byte[] plain = [.. Enumerable.Range(0, 1_000).Select(static i => (byte)i)];
        Assert.Equal(plain, Open(seal, seal.Seal(plain), plain.Length - 1)!);
        Assert.Empty(Open(seal, seal.Seal([]), 0)!);
    }

    private static byte[]? Open(StateSeal seal, byte[] state, int bufferLength) =>
        seal.TryOpen(state, new byte[bufferLength], out Span<byte> plain) ? plain.ToArray() : null;
}
