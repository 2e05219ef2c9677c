using System.Security.Cryptography;

namespace CoAP.NET.Oscore.Tests.Contexts;

public sealed class CipherTests
{
    private static readonly byte[] s_key = Convert.FromHexString("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf");

    public static TheoryData<int> Algorithms =>
        [.. OscoreAlgorithm.All.Where(static algorithm => algorithm.IsSupported).Select(static algorithm => algorithm.CoseNumber)];

    // Packet vector 1 of RFC 3610.
    [Fact]
    public void AES_CCM_of_the_processor_is_that_of_its_RFC()
    {
        if (!ProcessorAesCcm.IsSupported)
        {
            return;
        }

        byte[] nonce = Convert.FromHexString("00000003020100a0a1a2a3a4a5");
        byte[] data = Convert.FromHexString("0001020304050607");
        byte[] plaintext = Convert.FromHexString("08090a0b0c0d0e0f101112131415161718191a1b1c1d1e");
        byte[] sealedBytes = new byte[plaintext.Length + 8];

        ProcessorAesCcm.Encrypt(
            s_key, nonce, data, plaintext, sealedBytes.AsSpan(0, plaintext.Length), sealedBytes.AsSpan(plaintext.Length));

        Assert.Equal(
            "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384" + "17e8d12cfdf926e0", Convert.ToHexStringLower(sealedBytes));
    }

    [Fact]
    public void AES_CCM_of_the_processor_gives_what_the_platform_gives_for_all_lengths()
    {
        if (!ProcessorAesCcm.IsSupported || !AesCcm.IsSupported)
        {
            return;
        }

        Random random = new(8613);
        using AesCcm platform = new(s_key);
        for (int i = 0; i < 1_000; i++)
        {
            byte[] nonce = Bytes(random, random.Next(7, 14));
            byte[] data = Bytes(random, i < 4 ? 0xff00 - 2 + i : random.Next(80));
            byte[] plaintext = Bytes(random, random.Next(120));
            byte[] tag = new byte[2 * random.Next(2, 9)];
            byte[] expectedTag = new byte[tag.Length];
            byte[] ciphertext = new byte[plaintext.Length];
            byte[] expected = new byte[plaintext.Length];
            byte[] opened = new byte[plaintext.Length];

            platform.Encrypt(nonce, plaintext, expected, expectedTag, data);
            ProcessorAesCcm.Encrypt(s_key, nonce, data, plaintext, ciphertext, tag);

            Assert.Equal((Convert.ToHexString(expected), Convert.ToHexString(expectedTag)),
                (Convert.ToHexString(ciphertext), Convert.ToHexString(tag)));
            Assert.True(ProcessorAesCcm.TryDecrypt(s_key, nonce, data, ciphertext, tag, opened));
            Assert.Equal(plaintext, opened);

            // One bit anywhere.
            byte[][] parts = [.. new[] { nonce, data, ciphertext, tag }.Where(static part => part.Length > 0)];
            parts[random.Next(parts.Length)][0] ^= (byte)(1 << random.Next(8));
            Assert.False(ProcessorAesCcm.TryDecrypt(s_key, nonce, data, ciphertext, tag, opened));
            Assert.All(opened, static b => Assert.Equal(0, b));
        }
    }

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Wiped_keys_encrypt_nothing_and_verify_nothing(int number)
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
    public void A_cipher_of_the_platform_gives_way_to_others_and_is_made_again()
    {
        using OscoreParameters here = new(s_key, [1], [2], OscoreAlgorithm.A128Gcm);
        using OscoreParameters there = new(s_key, [2], [1], OscoreAlgorithm.A128Gcm);
        using OscoreKeys sender = new(here);
        using OscoreKeys recipient = new(there);
        byte[] ciphertext = new byte[3 + 16];
        byte[] opened = new byte[3];
        OscoreAead idle = new(OscoreAlgorithm.A128Gcm, s_key);
        KeptAeads.Keep(idle);
        sender.Encrypt(new byte[12], [1, 2, 3], ciphertext, default);

        for (int i = 0; i < 2 * KeptAeads.Max; i++)
        {
            KeptAeads.Keep(new OscoreAead(OscoreAlgorithm.A128Gcm, s_key));
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
    public void A_key_that_is_in_use_keeps_its_cipher()
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

    private static byte[] Bytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
