using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// The connection of this node to another one, which it reopens whenever it ends. It has its own endpoint, whose handshakes accept only
/// that node, even if another node gets its address. Thread-safe.
/// </summary>
internal sealed class ClusterLink : IAsyncDisposable
{
    private static readonly TimeSpan s_openTimeout = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_shortestPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromSeconds(5);
    private const int MaxDoublings = 7;

    private readonly ClusterLinks _links;
    private readonly LinkCredential _credential;
    private readonly LinkCounts _counts;
    private readonly TimeProvider _time;
    private readonly CoapRandomSource _random;
    private readonly ILogger _logger;
    private readonly CoapEndpoint _endpoint;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private TaskCompletionSource _hurry = New();
    private CoapPeer? _peer;
    private string? _reason;
    private string? _refusal;
    private Task _keeping = Task.CompletedTask;

    public ClusterLink(ClusterLinks links, CoapClusterNode node, LinkParts parts)
    {
        _links = links;
        Node = node;
        (_credential, _counts, _time, _random, _logger) = (parts.Credential, parts.Counts, parts.Time, parts.Random, parts.Logger);
        Posts = new LinkPosts(links.Self, node.Id, _counts, _time, _logger);
        _endpoint = parts.MakeClient(new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions
            {
                AllowTlsResume = false,
                CertificateRevocationCheckMode = X509RevocationMode.NoCheck,
                ClientCertificateContext = parts.CertificateContext,
                EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
                RemoteCertificateValidationCallback = IsTheNode,
            },
        });
        _endpoint.PeerDisconnected += (_, end) => _reason = end.Reason.Message;
    }

    /// <summary>The other node.</summary>
    public CoapClusterNode Node { get; }

    /// <summary>The items for the other node.</summary>
    public LinkPosts Posts { get; }

    /// <summary>The other end while the link is up; otherwise null.</summary>
    public CoapPeer? Peer => Volatile.Read(ref _peer);

    public void Start() => _keeping = KeepAsync();

    /// <summary>Retries at once because the other node has just connected to this one and is reachable.</summary>
    public void Hurry()
    {
        lock (_gate)
        {
            _hurry.TrySetResult();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _keeping.ConfigureAwait(false);

        // With a Release, which tells the other node that the end is intended.
        await _endpoint.StopAsync().ConfigureAwait(false);
        await _endpoint.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private bool IsTheNode(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        CoapNodeId shown = _credential.NodeOf(certificate);
        if (shown == Node.Id)
        {
            return true;
        }

        if (shown.IsSet)
        {
            _refusal = $"node {shown} answers there.";
        }
        else
        {
            _counts.OnStranger();
            _refusal = "the peer at that address does not have the secret of this cluster (CoapClusterOptions.Secret).";
        }

        return false;
    }

    private async Task KeepAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        int failures = 0;
        bool isTold = false;
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                long began = _time.GetTimestamp();
                if (await OpenAsync().ConfigureAwait(false) is { } peer)
                {
                    isTold = false;
                    await HaveAsync(peer).ConfigureAwait(false);
                }

                failures = _time.GetElapsedTime(began) > s_longestPause ? 0 : failures + 1;
            }
            catch (CoapException exception)
            {
                failures++;
                _counts.OnFailed();
                string reason = Interlocked.Exchange(ref _refusal, null) ?? exception.Message;
                if (!isTold)
                {
                    LinkLog.LinkFailed(_logger, _links.Self, Node.Id, Node.Address, reason);
                    isTold = true;
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }

            await PauseAsync(failures).ConfigureAwait(false);
        }
    }

    private async Task<CoapPeer?> OpenAsync()
    {
        await _endpoint.PingAsync(Node.Address, s_openTimeout, _stop.Token).ConfigureAwait(false);
        return _endpoint.ConnectedPeers is [var peer, ..] ? peer : null;
    }

    private async Task HaveAsync(CoapPeer peer)
    {
        CancellationToken gone = peer.Disconnected;
        TaskCompletionSource ended = New();
        await using CancellationTokenRegistration atEnd = gone.UnsafeRegister(End, ended);
        await using CancellationTokenRegistration atStop = _stop.Token.UnsafeRegister(End, ended);
        Volatile.Write(ref _peer, peer);
        Posts.Start(peer);
        _counts.OnUp();
        LinkLog.LinkUp(_logger, _links.Self, Node.Id, Node.Address);
        _links.RaiseUp(Node.Id);
        await ended.Task.ConfigureAwait(false);
        Volatile.Write(ref _peer, null);
        Posts.Stop();
        bool isLost = !_stop.IsCancellationRequested;
        _counts.OnDown(isLost);
        if (isLost)
        {
            LinkLog.LinkLost(_logger, _links.Self, Node.Id, _reason ?? "the connection was closed.");
        }

        _links.RaiseDown(Node.Id);

        static void End(object? ended) => ((TaskCompletionSource)ended!).TrySetResult();
    }

    private async Task PauseAsync(int failures)
    {
        TimeSpan pause = s_shortestPause * (1 << Math.Min(failures, MaxDoublings));
        pause = (pause < s_longestPause ? pause : s_longestPause) * (0.5 + _random.NextDouble());
        Task hurry;
        lock (_gate)
        {
            if (_hurry.Task.IsCompleted)
            {
                _hurry = New();
            }

            hurry = _hurry.Task;
        }

        await hurry.WaitAsync(pause, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
