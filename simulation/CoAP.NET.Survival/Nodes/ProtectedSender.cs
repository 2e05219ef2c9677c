using CoAP.NET.Oscore;

namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// Sends messages under OSCORE, with sequence numbers of the store. All nodes have the same contexts, and use those whose slot they have.
/// </summary>
/// <param name="store">The store of the sequence numbers.</param>
internal sealed class ProtectedSender(IOscoreStore store) : IAsyncDisposable
{
    /// <summary>How many contexts there are.</summary>
    public const int Contexts = 64;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly OscoreContext?[] _contexts = new OscoreContext?[Contexts];

    /// <summary>Sends a message under each context of this node.</summary>
    /// <param name="port">Where to: a port of the loopback.</param>
    /// <returns>How many messages were sent.</returns>
    public async Task<int> SendAsync(int port)
    {
        int sent = 0;
        for (int i = 0; i < Contexts; i++)
        {
            sent += await TrySendAsync(i, port) || await TrySendAsync(i, port) ? 1 : 0;
        }

        return sent;
    }

    public async ValueTask DisposeAsync()
    {
        for (int i = 0; i < Contexts; i++)
        {
            await CloseAsync(i);
        }
    }

    private async Task<bool> TrySendAsync(int number, int port)
    {
        string uri = $"coap://127.0.0.1:{port}";
        try
        {
            using OscoreParameters parameters = new(
                "a secret for all"u8, senderId: [(byte)number], recipientId: [(byte)(number + Contexts)]);
            OscoreContext context = _contexts[number] ??= await OscoreContext.OpenAsync(parameters, store);
            CoapEndpointOptions options = new();
            options.UseOscore(new OscoreContexts().Add(uri, context));
            await using CoapClient client = new(options);
            await client.SendAsync(new CoapRequest(CoapMethod.Post, uri) { Confirmable = false, Timeout = s_patience });
            return true;
        }
        catch (CoapException exception) when (exception.Error == CoapError.Reset)
        {
            // The receiver has counted it.
            return true;
        }
        catch (CoapException)
        {
            // Another node has its slot, or opened it meanwhile.
            await CloseAsync(number);
            return false;
        }
    }

    private async Task CloseAsync(int number)
    {
        if (_contexts[number] is { } context)
        {
            _contexts[number] = null;
            try
            {
                await context.DisposeAsync();
            }
            catch (OscoreStoreException)
            {
                // Its numbers are reserved at another node by now.
            }
        }
    }
}
