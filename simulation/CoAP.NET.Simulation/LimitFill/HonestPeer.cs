using System.Net.Security;
using CoAP.NET.Dtls;
using CoAP.NET.Simulation.Attack;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>A client at 127.0.0.1 that works over all transports while others hold what they can.</summary>
internal sealed class HonestPeer : IAsyncDisposable
{
    private readonly LimitFillTarget _target;
    private readonly HonestTimes _times;
    private readonly TimeSpan _patience;
    private readonly bool _isShort;
    private readonly CoapClient _client;
    private string? _session;

    /// <param name="target">Its server.</param>
    /// <param name="times">Takes how long each request took.</param>
    /// <param name="patience">After how long it gives a request up.</param>
    /// <param name="isShort">Whether in the small form.</param>
    public HonestPeer(LimitFillTarget target, HonestTimes times, TimeSpan patience, bool isShort)
    {
        _isShort = isShort;
        _target = target;
        _times = times;
        _patience = patience;
        CoapEndpointOptions options = new()
        {
            Tls = new CoapTlsOptions
            {
                Client = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = Certificates.Any }
            },
        };
        options.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(LimitFillServer.Identity, LimitFillServer.Key) }
        });
        _client = new CoapClient(options);
    }

    /// <summary>Asks, uploads and downloads, over each transport at the same time.</summary>
    public Task WorkAsync() => Task.WhenAll(_target.Uris.Select(WorkAsync));

    /// <summary>Whether its DTLS session is the one that it had the last time.</summary>
    public async Task<bool> KeptSessionAsync()
    {
        string name = (await _client.GetAsync(_target.Uris[3] + "/session").WaitAsync(_patience)).GetText();
        string? before = Interlocked.Exchange(ref _session, name);
        return before is null || before == name;
    }

    public ValueTask DisposeAsync() => new(Bounded.EndAsync(_client.DisposeAsync(), "an honest client"));

    private async Task WorkAsync(string uri)
    {
        string scheme = uri[..uri.IndexOf(':', StringComparison.Ordinal)];
        bool isStream = scheme.Contains('+');
        (string path, byte[] body) = isStream
            ? ("/large", Forged.Pattern(2, LimitFillServer.LargeBody(_isShort)))
            : ("/small", Forged.Pattern(1, LimitFillServer.SmallBody));
        await TimeAsync(scheme, "GET", async () => (await _client.GetAsync(uri + "/hello")).GetText() == "hello");
        await TimeAsync(scheme, "upload",
            async () => (await _client.PostAsync(uri + path, CoapContent.Binary(body))).Code == CoapCode.Changed);
        await TimeAsync(scheme, "download", async () => (await _client.GetAsync(uri + path)).Payload.Span.SequenceEqual(body));
    }

    private async Task TimeAsync(string scheme, string what, Func<Task<bool>> ask)
    {
        Watch begin = new();
        string? trouble = null;
        try
        {
            trouble = await ask().WaitAsync(_patience) ? null : "another answer";
        }
        catch (Exception exception) when (exception is CoapException or TimeoutException)
        {
            trouble = exception is CoapException ? exception.Message : "no answer";
        }

        _times.Add($"{scheme} {what}", begin.Elapsed, trouble);
    }
}
