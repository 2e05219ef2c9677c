using System.Runtime.CompilerServices;

namespace CoAP.NET.Dtls.Tests.Options;

public sealed class PskDictionaryTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task A_key_file_may_have_text_keys_hexadecimal_keys_comments_and_blank_lines()
    {
        string file = _files.Write("keys", "# devices\n\n  device-1 : secret word \r\nurn:dev:ow:10e2073a01080063:0x00fF10\nümlaut:k#1\n");

        CoapPskDictionary keys = CoapPskDictionary.FromFile(file);

        Assert.Equal(3, keys.Count);
        Assert.Equal("secret word"u8.ToArray(), await KeyOf(keys, "device-1"));
        Assert.Equal([0x00, 0xff, 0x10], await KeyOf(keys, "urn:dev:ow:10e2073a01080063"));
        Assert.Equal("k#1"u8.ToArray(), await KeyOf(keys, "ümlaut"));
        Assert.Empty(await KeyOf(keys, "nobody"));
        Assert.Equal(["device-1", "urn:dev:ow:10e2073a01080063", "ümlaut"], keys.Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("no colon geheim")]
    [InlineData(":geheim")]
    [InlineData("device-2:")]
    [InlineData("device-2:0xgeheim")]
    [InlineData("device-2:0x123")]
    [InlineData("device-2:0x")]
    [InlineData("device-1:geheim")]
    [InlineData("nul\0:geheim")]
    [InlineData("device-2:geheimgeheimgeheimgeheimgeheimgeheimgeheimgeheimgeheimgeheimgeheim")]
    public void The_error_for_an_invalid_line_has_its_number_and_does_not_show_the_key(string line)
    {
        string file = _files.Write("keys", $"# first\ndevice-1:good\n{line}\n");

        CoapCredentialException exception = Assert.Throws<CoapCredentialException>(() => CoapPskDictionary.FromFile(file));

        Assert.Equal(3, exception.Line);
        Assert.Equal(file, exception.FileName);
        Assert.Contains("line 3", exception.Message, Ordinal);
        Assert.DoesNotContain("geheim", exception.ToString(), Ordinal);
    }

    [Fact]
    public void A_missing_key_file_is_a_CoapCredentialException() =>
        Assert.Contains("missing", Assert.Throws<CoapCredentialException>(() => CoapPskDictionary.FromFile(_files.Name("missing"))).Message,
            Ordinal);

    [Fact]
    public async Task A_key_file_replaces_all_keys_or_none()
    {
        CoapPskDictionary keys = new() { { "old", "1"u8 } };

        Assert.Throws<CoapCredentialException>(() => keys.LoadFile(_files.Write("bad", "new:2\nwrong\n")));
        Assert.Equal("1"u8.ToArray(), await KeyOf(keys, "old"));
        Assert.False(keys.Contains("new"));

        Assert.Equal(1, keys.LoadFile(_files.Write("good", "new:2\n")));
        Assert.Empty(await KeyOf(keys, "old"));
        Assert.Equal("2"u8.ToArray(), await KeyOf(keys, "new"));
    }

    [Fact]
    public async Task A_removed_key_is_overwritten_but_not_the_copy_of_a_running_handshake()
    {
        CoapPskDictionary keys = new() { { "removed", "1234"u8 }, { "replaced", "1234"u8 }, { "reloaded", "1234"u8 } };
        byte[][] stored = [.. KeysOf(keys).Values];
        byte[] held = await KeyOf(keys, "removed");

        Assert.True(keys.Remove("removed"));
        Assert.False(keys.Remove("removed"));
        keys.Add("replaced", "5678"u8);
        keys.LoadFile(_files.Write("keys", "other:1\n"));

        Assert.All(stored, key => Assert.Equal(new byte[4], key), throwIfEmpty: true);
        Assert.Equal("1234"u8.ToArray(), held);
    }

    [Fact]
    public async Task A_lookup_gets_a_complete_key_while_the_key_is_replaced()
    {
        CoapPskDictionary keys = new() { { "device", new byte[] { 1, 1, 1, 1, 1, 1, 1, 1 } } };
        byte[][] values = [[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2]];
        using CancellationTokenSource done = new();
        Task writing = Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; !done.IsCancellationRequested; i++)
                {
                    keys.Add("device", values[i % 2]);
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        for (int i = 0; i < 20_000; i++)
        {
            byte[] found = await KeyOf(keys, "device");
            Assert.True(found.AsSpan().SequenceEqual(values[0]) || found.AsSpan().SequenceEqual(values[1]));
        }

        await done.CancelAsync();
        await writing;
    }

    [Theory]
    [InlineData("")]
    [InlineData("a\0b")]
    public void An_identity_that_cannot_be_sent_is_refused(string identity) =>
        Assert.Throws<ArgumentException>(() => new CoapPskCredential(identity, new byte[16]));

    [Fact]
    public void An_identity_with_an_unpaired_surrogate_is_refused() =>
        Assert.Throws<ArgumentException>(() => new CoapPskCredential("a" + (char)0xd800, new byte[16]));

    [Fact]
    [Rfc("7925-4.2-1")]
    public void Identities_up_to_128_bytes_and_keys_up_to_64_bytes_are_accepted()
    {
        CoapPskCredential credential = new(new string('ü', 64), new byte[64]);

        Assert.Equal(128, Encoding.UTF8.GetByteCount(credential.Identity));
        Assert.Throws<ArgumentException>(() => new CoapPskCredential(new string('ü', 64) + "x", new byte[64]));
        Assert.Throws<ArgumentException>(() => new CoapPskCredential("x", new byte[65]));
        Assert.Throws<ArgumentException>(() => new CoapPskCredential("x", default));
    }

    [Fact]
    public void A_credential_is_a_copy_and_does_not_show_its_key()
    {
        byte[] key = [1, 2, 3];
        CoapPskCredential credential = new("device", key);
        key[0] = 9;

        Assert.Equal([1, 2, 3], credential.Key.ToArray());
        Assert.Equal("device", credential.ToString());
        Assert.Equal("word"u8.ToArray(), CoapPskCredential.Parse("urn:dev:1:word").Key.ToArray());
        Assert.DoesNotContain("geheim", Assert.Throws<CoapCredentialException>(() => CoapPskCredential.Parse("geheim")).ToString(),
            Ordinal);
    }

    private static async Task<byte[]> KeyOf(CoapPskDictionary keys, string identity) =>
        (await keys.FindKeyAsync(identity, CancellationToken.None)).ToArray();

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_keys")]
    private static extern ref Dictionary<string, byte[]> KeysOf(CoapPskDictionary keys);
}
