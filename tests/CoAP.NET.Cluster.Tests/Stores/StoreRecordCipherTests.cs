using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tests.Stores;

/// <summary>How states of records are sealed.</summary>
public sealed class StoreRecordCipherTests
{
    private const int SaltLength = 16;
    private const int NonceLength = 12;
    private static readonly byte[] s_secret = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    [Fact]
    public void A_record_key_is_replaced_after_its_limit_and_all_records_can_be_decrypted_in_another_process()
    {
        using StoreRecordCipher sealing = new([s_secret], new VirtualRandom(1), recordsOfKey: 3);
        using StoreRecordCipher opening = new([s_secret], new VirtualRandom(2));
        CoapRecordKey[] keys = [.. Enumerable.Range(0, 200).Select(i => Key($"record {i}"))];

        byte[][] states = [.. keys.Select(key => sealing.Seal(key, "the same state"u8))];

        string[] salts = [.. states.Select(state => Convert.ToHexString(state, 1, SaltLength))];
        Assert.Equal(67, salts.Distinct().Count());
        Assert.All(salts.GroupBy(salt => salt).SkipLast(1), of => Assert.Equal(3, of.Count()));
        string[] nonces = [.. states.Select(state => Convert.ToHexString(state, 1 + SaltLength, NonceLength))];
        Assert.Equal(nonces.Length, nonces.Distinct().Count());

        // More keys than are kept, in another order.
        Assert.All(Enumerable.Range(0, keys.Length).OrderBy(i => i * 37 % 200), i =>
        {
            Assert.Equal("the same state", Encoding.UTF8.GetString(opening.TryOpen(keys[i], states[i])!));
            Assert.Null(opening.TryOpen(keys[(i + 1) % keys.Length], states[i]));
        });
    }

    [Fact]
    public void A_state_is_decrypted_in_place_and_is_cleared_when_the_decryption_fails()
    {
        using StoreRecordCipher cipher = new([s_secret], new VirtualRandom(1));
        byte[] state = cipher.Seal(Key("a"), "state"u8);
        byte[] other = [.. state];

        Assert.True(cipher.TryOpenInPlace(Key("a"), state));
        Assert.Equal("state"u8, state.AsSpan(StoreRecordCipher.Overhead));
        Assert.False(cipher.TryOpenInPlace(Key("b"), other));
        Assert.Equal(new byte[5], other[StoreRecordCipher.Overhead..]);
        Assert.False(cipher.TryOpenInPlace(Key("a"), other.AsSpan(0, StoreRecordCipher.Overhead - 1)));
    }

    [Fact]
    public void A_disposed_cipher_neither_encrypts_nor_decrypts()
    {
        StoreRecordCipher cipher = new([s_secret], new VirtualRandom(1));
        byte[] state = cipher.Seal(Key("a"), "state"u8);
        cipher.Dispose();

        Assert.Throws<ObjectDisposedException>(() => cipher.Seal(Key("a"), "state"u8));
        Assert.Throws<ObjectDisposedException>(() => cipher.TryOpen(Key("a"), state));
    }

    private static CoapRecordKey Key(string name) => new(CoapRecordKind.Session, new CoapSlot(7), Encoding.UTF8.GetBytes(name));
}
