using CoAP.NET.Hosting.Clients;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>A secret under the wrong key is in no message, whatever the key takes.</summary>
public sealed class MisplacedSecretTests : HostTest
{
    private const string Hex = "9f86d081884c7d659a2feaa0c55ad015";
    private const string Base64 = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=";
    private const string Password = "Tr0ub4dor&3-hunter2";

    // A part of the value that no message may have, and the value.
    private static readonly (string Secret, string Value)[] s_secrets =
    [
        (Hex, $"0x{Hex}"), (Hex, $"meter-7:0x{Hex}"), ("sesame", "meter:sesame"), (Base64, Base64), (Base64, $"meter:{Base64}"),
        (Password, Password), ("hunter2", "coap://user:hunter2@device.example"), ("hunter2", "coap://device.example/?key=hunter2"),
        ("9f:86:d0:81", "9f:86:d0:81:88:4c:7d:65:9a:2f:ea:a0:c5:5a:d0:15"),
        ("MC4CAQAwBQYDK2VwBCIEIO", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIO==\n-----END PRIVATE KEY-----"),
    ];

    private readonly EdhocCredentialFiles _edhoc = new();

    // The keys whose values only the start of the application refuses: files, names and addresses.
    public static TheoryData<string, string, string> Server => new(
        from secret in s_secrets
        from path in AllKeys.Server.Keys.Where(key => !key.Set(new AllKeys.OfServer(), [secret.Value]).Any()).Select(PathOf)
            .Concat(["Endpoints:0", "Peers:0:AckTimeout", "Peers:0:Prefixes:0", "Peers", "Limits", "Dtls", "Directories:0:Uri",
                "Directories:0:Base"])
        where path != "Directories:0:Uri" || !secret.Value.Contains('?', Ordinal) // is a valid address, which the log names
        select (path, secret.Secret, secret.Value));

    public static TheoryData<string, string, string> Client => new(
        from secret in s_secrets
        from path in AllKeys.Client.Keys.Where(key => !key.Set(new AllKeys.OfClient(), [secret.Value]).Any()).Select(PathOf)
        select (path, secret.Secret, secret.Value));

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _edhoc.Dispose();
    }

    [Fact]
    public void No_message_about_an_invalid_value_has_a_secret_whatever_the_key()
    {
        int refused = Check(AllKeys.Server, static () => new AllKeys.OfServer())
            + Check(AllKeys.Client, static () => new AllKeys.OfClient());
        Assert.InRange(refused, 1000, int.MaxValue);

        static int Check<T>(ConfigurationSectionReader<T> table, Func<T> make)
        {
            int refused = 0;
            foreach ((string secret, string value) in s_secrets)
            {
                foreach (ConfigurationKey<T> key in table.Keys)
                {
                    ConfigurationErrors found = new() { SeeksUnknownKeys = false };
                    IConfigurationRoot root = new ConfigurationBuilder()
                        .AddInMemoryCollection([new KeyValuePair<string, string?>($"Coap:Server:{PathOf(key)}", value)]).Build();
                    table.Read(root.GetSection("Coap:Server"), make(), found);
                    Assert.All(found.Errors, error => error.Omits(secret));
                    refused += found.Errors.Any() ? 1 : 0;
                }
            }

            return refused;
        }
    }

    [Theory]
    [MemberData(nameof(Server))]
    public async Task No_message_has_a_secret_that_is_under_a_key_of_a_server(string path, string secret, string value)
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints:0", "coap://127.0.0.1:0"), ("Coap:Server:Edhoc:File", _edhoc.Server), ($"Coap:Server:{path}", value));
        builder.Services.AddCoapServer().UseDtls().UseOscore().UseEdhoc().RegisterWithDirectories();
        await RunAsync(builder, secret);
    }

    [Theory]
    [MemberData(nameof(Client))]
    public async Task No_message_has_a_secret_that_is_under_a_key_of_a_client(string path, string secret, string value)
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Client:BaseAddress", "coap://127.0.0.1"), ("Coap:Client:Edhoc:File", _edhoc.Client), ($"Coap:Client:{path}", value));
        builder.Services.AddCoapClient().UseDtls().UseOscore().UseEdhoc();
        await RunAsync(builder, secret);
    }

    [Fact]
    public async Task No_message_has_a_secret_that_code_sets_as_an_address()
    {
        HostApplicationBuilder builder = Builder();
        builder.Services.AddCoapServer(static options => options.Listen("coap://user:hunter2@device.example"));
        await RunAsync(builder, "hunter2");
    }

    [Theory]
    [InlineData("Parameters:AckTimeout", "5", "5")]
    [InlineData("Parameters:AckTimeout", "soon", "soon")]
    [InlineData("Parameters:AckTimeout", "00:00:00", "00:00:00")]
    [InlineData("Limits:Peers:NewcomerMemory", "64 KB", "64 KB")]
    [InlineData("Limits:Peers:MaxCount", "-1", "-1")]
    [InlineData("Limits:Peers:MaxCount", "1e3", "1e3")]
    [InlineData("Limits:Peers:TrustedPrefixes", "192.0.2.0/33", "192.0.2.0/33")]
    [InlineData("Limits:Peers:TrustedPrefixes", "2001:db8::/129", "2001:db8::/129")]
    [InlineData("Endpoints", "coap://127.0.0.1/path", "coap://127.0.0.1/path")]
    [InlineData("Endpoints", "http://[::1]:80", "http://[::1]:80")]
    [InlineData("Tls:Certificate", "/etc/coap/server-1.pem", "/etc/coap/server-1.pem")]
    [InlineData("Tls:Certificate", "tls/server_1.pem", "tls/server_1.pem")]
    [InlineData("Tls:Certificate", "../..data/tls.crt", "../..data/tls.crt")]
    [InlineData("Dtls:PskFile", "C:\\keys\\devices.psk", "C:\\keys\\devices.psk")]
    [InlineData("Dtls:PskFile", "sesame", "***")]
    [InlineData("Limits:Peers:MaxCount", "0x9f86d081884c7d65", "***")]
    public async Task A_message_shows_a_value_that_looks_like_what_a_key_takes(string path, string value, string shown)
    {
        HostApplicationBuilder builder = Builder(($"Coap:Server:{path}", value));
        builder.Services.AddCoapServer().UseDtls();
        Assert.Contains(await StartFailuresAsync(builder), failure => failure.StartsWith($"Coap:Server:{path} = '{shown}': ", Ordinal));
    }

    private static string PathOf<T>(ConfigurationKey<T> key) => key.IsList ? key.Path + ":0" : key.Path;

    // Whether the application starts depends on the key. A client says nothing before its first request.
    private async Task RunAsync(HostApplicationBuilder builder, string secret)
    {
        IHost host = Build(builder);
        try
        {
            await Within(host.StartAsync());
            if (host.Services.GetService<ClientFactory>() is { } clients)
            {
                clients.GetClient();
            }

            await Within(host.StopAsync());
        }
        catch (Exception exception) when (exception is not TimeoutException)
        {
            exception.ToString().Omits(secret);
            Assert.All((exception as OptionsValidationException)?.Failures ?? [], failure => failure.Omits(secret));
        }

        Assert.All(Logged.Entries, entry => entry.Text.Omits(secret));
    }
}
