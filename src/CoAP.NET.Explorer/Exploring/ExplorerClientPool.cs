using System.Text.Json;
using CoAP.NET.Composition;
using CoAP.NET.Cryptography;
using CoAP.NET.Explorer.Pages;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// The clients of the page. Each belongs to one exchange at a time, so that its messages are those of that exchange. It is then kept for a
/// minute for the next exchange with the same server and credentials, which saves a connection or handshake. Thread-safe.
/// </summary>
internal sealed class ExplorerClientPool : IAsyncDisposable
{
    private static readonly TimeSpan s_idle = TimeSpan.FromMinutes(1);

    private readonly CoapExplorerOptions _options;
    private readonly ExplorerTargets _targets;
    private readonly ILoggerFactory _loggers;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;
    private readonly Lock _gate = new();
    private readonly LinkedList<(ExplorerClient Client, long Since)> _idle = new();
    private bool _isDisposed;

    public ExplorerClientPool(CoapExplorerOptions options, ExplorerTargets targets, ILoggerFactory loggers, TimeProvider time)
    {
        (_options, _targets, _loggers, _time) = (options, targets, loggers, time);
        _timer = time.CreateTimer(static clients => ((ExplorerClientPool)clients!).CloseIdle(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>Takes a client for one exchange; return it with <see cref="ReturnAsync"/>.</summary>
    /// <param name="uri">The target.</param>
    /// <param name="security">The protection; null for none, or for the trust settings of the system.</param>
    /// <exception cref="ExplorerException">The credentials are not valid, or not allowed.</exception>
    public ExplorerClient Take(CoapUri uri, UserCoapCredentials? security)
    {
        string key = KeyOf(uri, security);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            for (LinkedListNode<(ExplorerClient Client, long Since)>? one = _idle.Last; one is not null; one = one.Previous)
            {
                if (one.Value.Client.Key == key)
                {
                    _idle.Remove(one);
                    return one.Value.Client;
                }
            }
        }

        return Open(uri, security, key);
    }

    /// <summary>Keeps a client for the next exchange, or closes it.</summary>
    /// <param name="client">The client.</param>
    /// <param name="isSound">Whether the exchange ended normally; otherwise messages may still be pending.</param>
    public ValueTask ReturnAsync(ExplorerClient client, bool isSound)
    {
        ExplorerClient? closed = client;
        lock (_gate)
        {
            if (isSound && !_isDisposed)
            {
                closed = null;
                if (_idle.Count == _options.MaxExchanges)
                {
                    closed = _idle.First!.Value.Client;
                    _idle.RemoveFirst();
                }

                _idle.AddLast((client, _time.GetTimestamp()));
                if (_idle.Count == 1)
                {
                    _timer.Change(s_idle, Timeout.InfiniteTimeSpan);
                }
            }
        }

        return closed?.DisposeAsync() ?? ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        ExplorerClient[] all;
        lock (_gate)
        {
            _isDisposed = true;
            all = [.. _idle.Select(static one => one.Client)];
            _idle.Clear();
        }

        await _timer.DisposeAsync().ConfigureAwait(false);
        foreach (ExplorerClient client in all)
        {
            await client.DisposeAsync().ConfigureAwait(false);
        }
    }

    // Secrets are compared by digest only.
    private static string KeyOf(CoapUri uri, UserCoapCredentials? security) => security is null
        ? $"{uri.Scheme}://{uri.Authority}"
        : $"{uri.Scheme}://{uri.Authority} "
            + Convert.ToHexStringLower(
                Sha256.HashData(JsonSerializer.SerializeToUtf8Bytes(security, PageJson.Default.UserCoapCredentials)));

    private ExplorerClient Open(CoapUri uri, UserCoapCredentials? security, string key)
    {
        CoapEndpointOptions endpoint = new() { LoggerFactory = _loggers, TimeProvider = _time };
        endpoint.Limits.Blockwise.MaxResponseBodySize = _options.MaxBodySize;
        _options.ConfigureClient?.Invoke(endpoint);
        if (security is not null)
        {
            RequestCredentialsApplier.Apply(security, uri, _options, endpoint);
        }

        if (uri.Scheme == "coaps" && !endpoint.Transports.Factories.Any(static factory => factory.Scheme == "coaps"))
        {
            throw ExplorerException.Bad("No key", MissingTransportMessage.NoKeys, HintForKeys());
        }

        _targets.Guard(endpoint);
        WireMonitor watch = new(_time);
        watch.AddTo(endpoint.Pipeline);
        return new ExplorerClient(key, new CoapClient(endpoint), watch);
    }

    private string HintForKeys() =>
        _options.AllowSecretsOfUsers ? "Press \"No security\" at the top of the page, and enter one."
        : _options.Profiles.Count > 0 ? "Press \"No security\" at the top of the page, and choose a profile."
        : "The operator of this page adds profiles with keys (CoapExplorerOptions.AddProfile).";

    private async void CloseIdle()
    {
        List<ExplorerClient> closed = [];
        lock (_gate)
        {
            while (_idle.First is { } first && _time.GetElapsedTime(first.Value.Since) >= s_idle)
            {
                closed.Add(first.Value.Client);
                _idle.RemoveFirst();
            }

            if (_idle.First is { } next && !_isDisposed)
            {
                _timer.Change(s_idle - _time.GetElapsedTime(next.Value.Since), Timeout.InfiniteTimeSpan);
            }
        }

        foreach (ExplorerClient client in closed)
        {
            await client.DisposeAsync().ConfigureAwait(false);
        }
    }
}

/// <summary>A client and the observer of its messages.</summary>
internal sealed class ExplorerClient(string key, CoapClient client, WireMonitor watch) : IAsyncDisposable
{
    public string Key { get; } = key;

    public CoapClient Client { get; } = client;

    public WireMonitor Watch { get; } = watch;

    public ValueTask DisposeAsync() => Client.DisposeAsync();
}
