using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Tests.Contexts;

public sealed class CipherTests
{
    private static readonly byte[] s_key = Convert.FromHexString("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf");

    public static TheoryData<int> Algorithms =>
        [.. OscoreAlgorithm.All.Where(algorithm => algorithm.IsSupported).Select(algorithm => algorithm.CoseNumber)];

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Wiped_keys_neither_encrypt_nor_verify(int number)
    {
        OscoreAlgorithm algorithm = OscoreAlgorithm.Find(number)!;
        using OscoreParameters here = new(s_key, [1], [2], algorithm);
        using OscoreParameters there = new(s_key, [2], [1], algorithm);
        OscoreKeys sender = new(here);
        OscoreKeys recipient = new(there);
        byte[] nonce = new byte[algorithm.NonceLength];
        byte[] plaintext = [1, 2, 3];
        byte[] ciphertext = new byte[plaintext.Length + algorithm.TagLength];
        byte[] opened = new byte[plaintext.Length];

        sender.Encrypt(nonce, plaintext, ciphertext, default);
        Assert.True(recipient.TryDecrypt(nonce, ciphertext, opened, default));
        Assert.Equal(plaintext, opened);

        sender.Wipe();
        recipient.Wipe();
        Assert.Throws<ObjectDisposedException>(() => sender.Encrypt(nonce, plaintext, ciphertext, default));
        Assert.False(recipient.TryDecrypt(nonce, ciphertext, opened, default));
        Assert.Equal(new byte[3], opened);
    }

    [Fact]
    public void An_evicted_platform_cipher_is_created_again_when_it_is_needed()
    {
        using OscoreParameters here = new(s_key, [1], [2], OscoreAlgorithm.A128Gcm);
        using OscoreParameters there = new(s_key, [2], [1], OscoreAlgorithm.A128Gcm);
        using OscoreKeys sender = new(here);
        using OscoreKeys recipient = new(there);
        byte[] ciphertext = new byte[3 + 16];
        byte[] opened = new byte[3];
        OscoreAead idle = new(OscoreAlgorithm.A128Gcm, s_key);
        AeadCache.Keep(idle);
        sender.Encrypt(new byte[12], [1, 2, 3], ciphertext, default);

        for (int i = 0; i < 2 * AeadCache.Max; i++)
        {
            AeadCache.Keep(new OscoreAead(OscoreAlgorithm.A128Gcm, s_key));
        }

        Assert.True(idle.IsDisposed);
        Assert.False(idle.TryEncrypt(new byte[12], [1, 2, 3], ciphertext, default));
        Assert.Null(idle.TryDecrypt(new byte[12], ciphertext, opened, default));
        byte[] again = new byte[ciphertext.Length];
        sender.Encrypt(new byte[12], [1, 2, 3], again, default);
        Assert.Equal(ciphertext, again);
        Assert.True(recipient.TryDecrypt(new byte[12], again, opened, default));
    }

    [Fact]
    public void A_key_in_use_keeps_its_cipher()
    {
        using OscoreParameters here = new(s_key, [1], [2], OscoreAlgorithm.A128Gcm);
        using OscoreParameters there = new(s_key, [2], [1], OscoreAlgorithm.A128Gcm);
        using OscoreKeys sender = new(here);
        using OscoreKeys recipient = new(there);
        byte[] nonce = new byte[12];
        byte[] plaintext = [1, 2, 3];
        byte[] ciphertext = new byte[3 + 16];
        byte[] opened = new byte[3];
        Run(1);

        // A cipher of the platform is an object with a handle; an occasional one may have given way to those of other tests.
        long before = GC.GetAllocatedBytesForCurrentThread();
        Run(1_000);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1_000 * 32);

        void Run(int count)
        {
            for (int i = 0; i < count; i++)
            {
                sender.Encrypt(nonce, plaintext, ciphertext, default);
                Assert.True(recipient.TryDecrypt(nonce, ciphertext, opened, default));
            }
        }
    }
}
