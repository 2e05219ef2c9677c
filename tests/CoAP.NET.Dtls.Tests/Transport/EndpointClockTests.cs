namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Certificates are valid by the clock of the endpoint, which need not be that of the system.</summary>
public sealed class EndpointClockTests : IDisposable
{
    private static readonly TimeSpan s_validity = FromDays(365);

    private readonly BenchAuthority _authority = new();

    public void Dispose() => _authority.Dispose();

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public async Task Certificates_are_validated_by_the_clock_of_the_endpoint(bool isServerAhead, bool isClientAhead)
    {
        DateTimeOffset until = TimeProvider.System.GetUtcNow() + s_validity;
        using X509Certificate2 ofServer = _authority.Issue(address: IPAddress.Loopback, until: until);
        using X509Certificate2 ofClient = _authority.Issue(forServers: false, until: until);
        await using SecureEndpoints secure = await new SecureEndpoints(
            server =>
            {
                server.PskStore = null;
                server.Certificate = ofServer;
                server.RequireClientCertificate = true;
                server.TrustedAuthorities.Add(_authority.Certificate);
            },
            options => options.TimeProvider = new ShiftedDate(isServerAhead ? 2 * s_validity : default)).StartAsync();
        CoapClient client = secure.Client(
            configure: dtls =>
                dtls.Client = new CoapDtlsClientOptions { Certificate = ofClient, TrustedAuthorities = { _authority.Certificate } },
            endpoint: options => options.TimeProvider = new ShiftedDate(isClientAhead ? 2 * s_validity : default));
        Task<CoapResponse> asked = client.GetAsync($"{secure.Host}/hello");
        if (!isServerAhead && !isClientAhead)
        {
            await asked.Says("hello");
            return;
        }

        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => asked);
        Assert.Contains(isClientAhead ? "not valid at this time" : "bad_certificate", exception.Message, Ordinal);
    }
}
