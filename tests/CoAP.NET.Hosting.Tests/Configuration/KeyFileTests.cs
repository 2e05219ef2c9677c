namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Files of keys that others on the machine may read or change.</summary>
public sealed class KeyFileTests : FolderHostTest
{
    private const int UnsafeKeyFileId = 1810;
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private string Psk => Path.Combine(Folder, "devices.psk");

    private string Contexts => Path.Combine(Folder, "devices.json");

    [Theory]
    [InlineData(UnixFileMode.None, 0)]
    [InlineData(UnixFileMode.GroupRead, 0)]
    [InlineData(UnixFileMode.OtherRead, 3)]
    [InlineData(UnixFileMode.GroupWrite, 3)]
    public async Task A_key_file_that_others_can_read_or_change_is_logged_as_a_warning(UnixFileMode more, int warnings)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs Unix permissions");
        Write(more);
        IHost host = await StartAsync(Application());
        Assert.NotNull(host.Services.GetRequiredService<ICoapClient>());

        (LogLevel Level, int Id, string Told)[] entries = [.. Logged.Entries.Where(entry => entry.Id == UnsafeKeyFileId)];
        Assert.Equal(warnings, entries.Length);
        Assert.All(entries, entry => Assert.Equal(LogLevel.Warning, entry.Level));
        Assert.All(entries, entry => entry.Told.Mentions("chmod 600"));
        Assert.All(entries, entry => entry.Told.Omits("0102030405"));
    }

    [Fact]
    public async Task A_key_file_that_others_can_read_is_an_error_when_private_key_files_are_required()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs Unix permissions");
        Write(UnixFileMode.OtherRead);
        string[] problems = await StartFailuresAsync(
            Application(("Coap:Server:RequirePrivateKeyFiles", "true"), ("Coap:Client:RequirePrivateKeyFiles", "true")));

        string[] expected =
        [
            $"Coap:Client:Oscore:File = '{Contexts}': all users", $"Coap:Server:Dtls:PskFile = '{Psk}': all users",
            $"Coap:Server:Oscore:Files:0 = '{Contexts}': all users",
        ];
        Assert.Equal(expected.Length, problems.Length);
        Assert.All(
            problems.Order(StringComparer.Ordinal).Zip(expected),
            pair => pair.First.Begins(pair.Second));
    }

    private void Write(UnixFileMode more)
    {
        File.WriteAllText(Psk, "meter:0x01020304050607080102030405060708\n");
        File.WriteAllText(
            Contexts, """{ "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "senderId": "0x01", "recipientId": "0x02" }""");
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(Psk, Owner | more);
            File.SetUnixFileMode(Contexts, Owner | more);
        }
    }

    private HostApplicationBuilder Application(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder(
        [
            ("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Server:Dtls:PskFile", Psk), ("Coap:Server:Oscore:Files:0", Contexts),
            ("Coap:Server:Oscore:Store", Path.Combine(Folder, "server")), ("Coap:Client:Oscore:Store", Path.Combine(Folder, "client")),
            ("Coap:Client:BaseAddress", "coap://127.0.0.1:9"), ("Coap:Client:Oscore:File", Contexts), .. settings,
        ]);
        builder.Services.AddCoapServer().UseDtls().UseOscore();
        builder.Services.AddCoapClient().UseDtls().UseOscore();
        return builder;
    }
}
