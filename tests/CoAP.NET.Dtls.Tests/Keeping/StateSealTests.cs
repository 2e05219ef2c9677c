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
        Parallel.ForEach(all, pair => Assert.Equal(pair.Plain, opening.TryOpen(pair.State)));
        opening.Dispose();
        Assert.Null(opening.TryOpen(all[0].State));
    }
}
