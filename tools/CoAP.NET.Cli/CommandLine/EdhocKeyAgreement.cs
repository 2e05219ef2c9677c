using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The keys of one run of a command, created by EDHOC.</summary>
internal sealed class EdhocKeyAgreement : IAsyncDisposable
{
    private readonly EdhocCredentialFile _file;
    private readonly string _server;
    private readonly string? _peer;
    private EdhocClient? _client;

    public EdhocKeyAgreement(string path, string server, string? peer) =>
        (_file, _server, _peer) = (EdhocCredentialFile.Read(path), server, peer);

    /// <summary>Receives the security context.</summary>
    public OscoreContexts Contexts { get; } = new();

    /// <summary>Agrees on keys with the server, also anew.</summary>
    /// <exception cref="EdhocException">The server is not trusted, is not the expected one, or refused.</exception>
    public async Task ConnectAsync(ICoapClient client, CancellationToken cancellationToken)
    {
        if (_client is null)
        {
            EdhocClientOptions options = new() { Contexts = Contexts };
            _file.ApplyTo(options);
            if (_peer is not null)
            {
                options.ExpectServer(_server, _peer);
            }

            _client = new EdhocClient(client, options);
        }

        using EdhocResult session = await _client.ConnectAsync(_server, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _file.Dispose();
        return ValueTask.CompletedTask;
    }
}
