using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>
/// Our client against libcoap's servers with OpenSSL and with GnuTLS over DTLS by pre-shared keys (RFC 7252 section 9.1.3.1).
/// </summary>
[External(LibcoapServer.SecureProgram, LibcoapServer.GnuTlsProgram)]
public sealed class LibcoapDtlsServerTests
{
    private const string Key = "secretPSK";

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    [Rfc("7252-9.1.3.1-1")]
    public async Task Resources_are_read_and_changed_with_a_key_selected_by_the_hint(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key, "-h", "kitchen");
        string? hint = null;
        await using CoapClient client = Client(new CoapDtlsClientOptions
        {
            SelectPsk = (name, _) =>
            {
                hint = name.IdentityHint;
                return new(Credential());
            },
        });
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time")))).Code);
        Assert.Equal("kitchen", hint);
        Assert.Equal(CoapCode.Created, (await Within(client.PutAsync(server.DtlsUri("/ours"), CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Within(client.GetAsync(server.DtlsUri("/ours")))).GetText());
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task A_PUT_and_a_GET_transfer_a_body_blockwise(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key);
        await using CoapClient client = Client();
        byte[] body = Bodies.Make(20_000, 8);
        Assert.True((await Within(client.PutAsync(server.DtlsUri("/large"), CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(body, (await Within(client.GetAsync(server.DtlsUri("/large")))).Payload.ToArray());
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task Changes_are_notified_to_the_client(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key);
        await using CoapClient client = Client();
        await using CoapObservation observation = await Within(client.ObserveAsync(server.DtlsUri("/time")));
        HashSet<string> seen = [];
        using CancellationTokenSource limit = new(PeerProcess.HangLimit);
        await foreach (CoapResponse response in observation.ReadAllAsync(limit.Token))
        {
            seen.Add(response.GetText());
            if (seen.Count == 3)
            {
                break;
            }
        }

        Assert.Equal(3, seen.Count);
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    public async Task The_error_names_a_wrong_key_as_the_reason(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key);
        CoapDtlsException refused = null!;
        await Refusals.InTimeAsync(async time =>
        {
            await using CoapClient client = Client(new CoapDtlsClientOptions { Psk = Credential("anotherPSK") }, time);
            refused = await Refusals.OfAsync(client.GetAsync(server.DtlsUri("/time")));
            return refused.Reason == CoapDtlsHandshakeFailure.PreSharedKey;
        });
        refused.Message.Mentions("device-7");
        refused.ToString().Omits("anotherPSK");
    }

    private static CoapPskCredential Credential(string key = Key) => new("device-7", Encoding.ASCII.GetBytes(key));

    private static CoapClient Client(CoapDtlsClientOptions? options = null, TimeSpan? handshakeTimeout = null) =>
        new(new CoapEndpointOptions
        {
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(500) },
        }.UseDtls(new CoapDtlsOptions
        {
            Client = options ?? new CoapDtlsClientOptions { Psk = Credential() },
            RetransmitTimeout = TimeSpan.FromMilliseconds(500),
            HandshakeTimeout = handshakeTimeout ?? PeerProcess.HangLimit,
        }));
}
