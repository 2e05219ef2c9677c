using CoAP.NET.Errors;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>A request whose own time ends during a handshake says how far that came.</summary>
public sealed class HandshakeTimeoutTests
{
    [Theory]
    [InlineData("wrong-key-123456789", CoapConnectPhase.Authenticating, "fell silent once it knew the identity 'device-1': the "
        + "pre-shared key")]
    [InlineData(null, CoapConnectPhase.NoAnswer, "Is a DTLS server there")]
    internal async Task A_wrong_key_and_a_wrong_port_are_named(string? key, CoapConnectPhase stage, string text)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        using System.Net.Sockets.UdpClient silent = new(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        string host = key is null ? $"coaps://{silent.Client.LocalEndPoint}" : secure.Host;
        VirtualClock clock = new();
        CoapPskCredential credential = new(SecureEndpoints.Identity, Encoding.ASCII.GetBytes(key ?? "any-key-1234567890"));
        CoapDtlsTransport transport = new(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = credential } });
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock });
        client.Endpoint.AddTransport(transport);

        Task<CoapResponse> sending = client.SendAsync(
            new CoapRequest(CoapMethod.Get, $"{host}/hello") { Timeout = FromSeconds(5) });
        CoapAddress remote = CoapAddress.FromIPEndPoint(System.Net.IPEndPoint.Parse(host["coaps://".Length..]));
        await Eventually.IsTrueAsync(() => transport.ProgressOf(remote, null) is { } progress && progress.Stage == stage);
        clock.Advance(FromSeconds(5.2));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => sending.WaitAsync(FromMinutes(2)));
        Assert.Equal(
            (CoapTimeoutStep.DtlsHandshake, CoapTimeLimitKind.RequestTimeout, CoapTimeoutReason.NotSent, stage),
            (error.Awaited, error.EndedBy, error.Reason, error.ConnectProgress!.Stage));
        Assert.Contains("the DTLS handshake was not complete within the Timeout of 5 s", error.Message, Ordinal);
        Assert.Contains(text, error.Message, Ordinal);
        Assert.DoesNotContain("NStart", error.Message, Ordinal);
    }
}
