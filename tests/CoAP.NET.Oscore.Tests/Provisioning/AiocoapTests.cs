using CoAP.NET.Oscore.Provisioning;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Provisioning;

/// <summary>Directories of contexts as aiocoap has them.</summary>
public sealed class AiocoapTests : FolderTest
{
    private const string Secret = "0102030405060708090a0b0c0d0e0f10";

    public AiocoapTests()
    {
        Write("secret.json", $$"""{ "secret_hex": "{{Secret}}", "salt_hex": "9e7ca92223786340" }""");
        Write("settings.json",
            """
            { "algorithm": "AES-CCM-16-64-128", "sender-id_ascii": "", "recipient-id_hex": "01", "id-context_hex": "37cbf3210017a2d3" }
            """);
    }

    [Fact]
    public void Both_files_together_form_a_context()
    {
        using OscoreContextFile file = OscoreContextFile.Read(Folder);
        OscoreParameters parameters = Assert.Single(file.Contexts).Parameters;
        Assert.Equal(Secret, Convert.ToHexStringLower(parameters.MasterSecret));
        Assert.Equal("9e7ca92223786340", Convert.ToHexStringLower(parameters.MasterSalt.Span));
        Assert.Empty(parameters.SenderId.ToArray());
        Assert.Equal([1], parameters.RecipientId.ToArray());
        Assert.Equal("37cbf3210017a2d3", Convert.ToHexStringLower(parameters.IdContext!));
        Assert.Equal(32, parameters.WindowSize);
    }

    [Fact]
    public void Duplicate_missing_or_invalid_settings_are_refused_without_showing_the_secret()
    {
        Write("settings.json", $$"""{ "secret_ascii": "{{Secret}}", "sender-id_hex": "", "recipient-id_hex": "01" }""");
        Refusal().Mentions("secret occurs twice");
        Write("settings.json", """{ "algorithm": "AES-128", "sender-id_hex": "", "recipient-id_hex": "01" }""");
        Refusal().Mentions("algorithm must be one of");
        Write("settings.json", """{ "sender-id_hex": "" }""");
        Refusal().Mentions("recipient-id is missing");
        File.Delete(Path.Combine(Folder, "settings.json"));
        File.Delete(Path.Combine(Folder, "secret.json"));
        Refusal().Mentions("neither settings.json nor secret.json");
    }

    [Fact]
    public async Task Sequence_numbers_continue_after_aiocoap_and_aiocoap_can_continue_afterwards()
    {
        // As aiocoap writes it: numbers below 7 came, and 8 and 9.
        Write("sequence.json", """{"next-to-send": 20, "received": {"index": 7, "bitfield": 6}}""");
        using (OscoreContextFile file = OscoreContextFile.Read(Folder))
        {
            IOscoreStore store = file.OpenStore();
            OscoreStoreKey key = OscoreStoreKey.Of(file.Contexts[0].Parameters);
            OscoreStoredState state = await store.OpenAsync(key, default);
            Assert.False(state.IsNew);
            Assert.Equal(20UL, state.Next);
            Assert.Equal([7], Enumerable.Range(0, 10).Where(number => !state.Received!.Contains((ulong)number)));
            Assert.Equal("""{"next-to-send":20,"received":"unknown"}""", Sequence());
            await store.ReserveAsync(key, state.Epoch, 52, default);
            Assert.Equal("""{"next-to-send":52,"received":"unknown"}""", Sequence());
            OscoreReplayWindow window = OscoreReplayWindow.From(32, state.Received!);
            Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(40));
            await store.CloseAsync(key, state.Epoch, window.Save()!, default);
            await Assert.ThrowsAsync<OscoreStoreException>(() => store.ReserveAsync(key, state.Epoch, 84, default).AsTask());
        }

        // Index 9, of which 32 numbers on are told apart; 9 came, and 40.
        Assert.Equal("""{"next-to-send":52,"received":{"index":9,"bitfield":2147483649}}""", Sequence());
    }

    [Fact]
    public async Task A_new_directory_starts_at_0_and_the_window_is_unknown_after_a_crash()
    {
        using (OscoreContextFile file = OscoreContextFile.Read(Folder))
        {
            OscoreStoredState state = await file.OpenStore().OpenAsync(OscoreStoreKey.Of(file.Contexts[0].Parameters), default);
            Assert.True(state.IsNew);
        }

        using (OscoreContextFile file = OscoreContextFile.Read(Folder))
        {
            OscoreStoredState state = await file.OpenStore().OpenAsync(OscoreStoreKey.Of(file.Contexts[0].Parameters), default);
            Assert.False(state.IsNew);
            Assert.Null(state.Received);
        }
    }

    [Fact]
    public void The_directory_is_used_by_a_single_program_at_a_time()
    {
        using OscoreContextFile file = OscoreContextFile.Read(Folder);
        file.OpenStore();
        using OscoreContextFile other = OscoreContextFile.Read(Folder);
        Assert.Equal(OscoreStoreFault.InUse, Assert.Throws<OscoreStoreException>(() => other.OpenStore()).Fault);
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("""{"next-to-send": 20}""")]
    [InlineData("""{"next-to-send": -1, "received": "unknown"}""")]
    [InlineData("""{"next-to-send": 1099511627777, "received": "unknown"}""")]
    [InlineData("""{"next-to-send": 20, "received": "none"}""")]
    [InlineData("""{"next-to-send": 20, "received": {"index": 7, "bitfield": -6}}""")]
    [InlineData("""{"next-to-send": 20, "received": {"index": 7, "bitfield": 6""")]
    [InlineData("""{"next-to-send": 20, "received": "unknown"} x""")]
    public async Task Truncated_or_modified_numbers_are_an_error_and_not_a_new_start(string sequence)
    {
        Write("sequence.json", sequence);
        using OscoreContextFile file = OscoreContextFile.Read(Folder);
        OscoreStoreException exception = await Assert.ThrowsAsync<OscoreStoreException>(
            () => file.OpenStore().OpenAsync(OscoreStoreKey.Of(file.Contexts[0].Parameters), default).AsTask());
        Assert.Equal(OscoreStoreFault.Corrupt, exception.Fault);
    }

    [Fact]
    public void Mutated_files_are_read_or_refused_without_showing_the_secret()
    {
        Mutated.Each(Encoding.UTF8.GetBytes("""{"next-to-send": 20, "received": {"index": 7, "bitfield": 66}}"""), 3_000,
            bytes => AiocoapSequenceStore.Parse(bytes));
        byte[] settings = Encoding.UTF8.GetBytes($$"""
            {"secret_hex":"{{Secret}}","salt_ascii":"salt","sender-id_hex":"01","recipient-id_hex":"","kdf-hashfun":"sha512","window":64}
            """);
        Mutated.Each(settings, 3_000, bytes =>
        {
            try
            {
                using ParsedOscoreContext fields = new();
                AiocoapDirectory.ReadFile(bytes, "settings.json", fields, []);
            }
            catch (CoapCredentialException exception)
            {
                Assert.DoesNotContain(Secret[8..24], exception.ToString(), StringComparison.OrdinalIgnoreCase);
            }
        });
    }

    private string Refusal()
    {
        CoapCredentialException exception = Assert.Throws<CoapCredentialException>(() => OscoreContextFile.Read(Folder));
        exception.ToString().Omits(Secret);
        return exception.Message;
    }

    private string Sequence() => File.ReadAllText(Path.Combine(Folder, "sequence.json"));

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(Folder, name), text);
}
