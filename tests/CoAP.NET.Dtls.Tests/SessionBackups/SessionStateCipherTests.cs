namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>How states of sessions are encrypted.</summary>
public sealed class SessionStateCipherTests
{
    [Fact]
    public void Several_threads_decrypt_states_of_several_processes_concurrently()
    {
        const int Processes = 24;
        (byte[] Plain, byte[] State)[] all = [.. Enumerable.Range(0, Processes).SelectMany(process =>
        {
            using SessionStateCipher seal = new(Options(), new VirtualRandom((ulong)process));
            byte[][] plains = [.. Enumerable.Range(0, 50).Select(i => (byte[])[(byte)process, (byte)i])];
            return plains.Select(plain => (plain, seal.Seal(plain))).ToArray();
        }).OrderBy(pair => pair.Item1[1])];
        using SessionStateCipher opening = new(Options(), new VirtualRandom(1_000));
        Parallel.ForEach(all, pair => Assert.Equal(pair.Plain, Open(opening, pair.State, 2)!));
        opening.Dispose();
        Assert.Null(Open(opening, all[0].State, 2));
        Assert.Throws<ObjectDisposedException>(() => opening.Seal(all[0].Plain));
    }

    [Fact]
    public void A_state_longer_than_the_buffer_is_decrypted()
    {
        using SessionStateCipher seal = new(Options(), new VirtualRandom(1));
        byte[] plain = [.. Enumerable.Range(0, 1_000).Select(i => (byte)i)];
        Assert.Equal(plain, Open(seal, seal.Seal(plain), plain.Length - 1)!);
        Assert.Empty(Open(seal, seal.Seal([]), 0)!);
    }

    [Fact]
    public void Servers_with_the_new_the_old_or_both_keys_load_each_others_states_while_the_key_is_replaced()
    {
        byte[] next = [.. MemorySessionBackup.Key.Reverse()];
        bool usesPrevious = true;
        using SessionStateCipher old = new(Options(), new VirtualRandom(1));
        using SessionStateCipher latest = new(new CoapDtlsSessionBackupOptions(new MemorySessionBackup(), next), new VirtualRandom(2));
        using SessionStateCipher both = new(
            new CoapDtlsSessionBackupOptions(
                new MemorySessionBackup(), next)
            { PreviousKey = MemorySessionBackup.Key, UsesPreviousKey = () => usesPrevious },
            new VirtualRandom(3));
        byte[] plain = [1, 2, 3];

        Assert.Equal(plain, Open(both, old.Seal(plain), 3));
        Assert.Equal(plain, Open(both, latest.Seal(plain), 3));
        Assert.Equal(plain, Open(old, both.Seal(plain), 3));
        Assert.Null(Open(latest, both.Seal(plain), 3));

        usesPrevious = false;
        Assert.Equal(plain, Open(latest, both.Seal(plain), 3));
        Assert.Null(Open(old, both.Seal(plain), 3));
        both.Dispose();
        Assert.Null(Open(both, latest.Seal(plain), 3));
    }

    private static CoapDtlsSessionBackupOptions Options() => new(new MemorySessionBackup(), MemorySessionBackup.Key);

    private static byte[]? Open(SessionStateCipher seal, byte[] state, int bufferLength) =>
        seal.TryOpen(state, new byte[bufferLength], out Span<byte> plain) ? plain.ToArray() : null;
}
