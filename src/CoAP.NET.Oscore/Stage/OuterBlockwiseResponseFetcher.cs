using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Client;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using CoAP.NET.Peers;
using CoAP.NET.Shard;

namespace CoAP.NET.Oscore.Stage;

/// <summary>
/// Completes protected responses of which a proxy sent only the first block (RFC 8613 section 4.1.3.4.2). It requests the other blocks with
/// the protected request, and the whole response is verified. Single blocks prove nothing. While the request waits, any response that
/// verifies therefore still ends it. For an observation, the registration is that request.
/// </summary>
internal sealed class OuterBlockwiseResponseFetcher
{
    private readonly CoapShard _shard;
    private readonly ClientSender _sender;
    private readonly int _max;

    // One download of a request at a time, and the newest notification that arrived meanwhile. Guarded by the lock of the shard.
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), TaskCompletionSource<bool>?> _inProgress = [];

    /// <param name="pipeline">The mesh of the shard.</param>
    /// <param name="max">The maximum payload in bytes.</param>
    public OuterBlockwiseResponseFetcher(CoapShardPipeline pipeline, int max)
    {
        _shard = pipeline.Shard;
        _sender = pipeline.Sender;
        _max = max;
    }

    /// <summary>Fetches the missing blocks of a response.</summary>
    /// <param name="peer">The protected peer.</param>
    /// <param name="first">The first block.</param>
    /// <returns>The whole response; null for none, for example when it exceeds the maximum.</returns>
    public async Task<CoapMessage?> FetchAsync(OscorePeer peer, CoapMessage first)
    {
        (CoapChannel Channel, CoapToken Token) key = (peer.Channel, first.Token);
        if (!await EnterAsync(key).ConfigureAwait(false))
        {
            return null;
        }

        try
        {
            if (RequestOf(key) is not { } request)
            {
                return null;
            }

            BodyBuffer body = new(_max);
            body.Append(first.Payload.Span, announced: null);
            BlockValue block = first.Options.Block2!.Value;
            while (block.More)
            {
                // The received bytes determine the next block: a proxy may reduce the block size.
                CoapMessage next = NextOf(request, new BlockValue(body.Length / block.Size, more: false, block.SizeExponent));
                ClientRequest asked = _sender.BeginPlain(peer.Channel.Wire, next);
                CoapMessage response = (await asked.Task.ConfigureAwait(false)).Message;
                if (response.OptionsToRead?.Block2 is not { } came
                    || came.ByteOffset != body.Length
                    || response.Payload.IsEmpty
                    || (came.More && response.Payload.Length % came.Size != 0)
                    || response.Payload.Length > _max - body.Length
                    || !BlockDownload.HaveSame(OptionNumber.Oscore, first, response)
                    || !BlockDownload.HaveSame(OptionNumber.ETag, first, response)
                    || RequestOf(key) is null)
                {
                    return null;
                }

                block = came;
                body.Append(response.Payload.Span, announced: null);
            }

            CoapMessage whole = first.Clone();
            whole.Options.Block2 = null;
            whole.Options.Remove(OptionNumber.Size2);
            whole.Payload = body.Body;
            return whole;
        }
        finally
        {
            Leave(key);
        }
    }

    // False when the download is obsolete because a newer response arrived.
    private Task<bool> EnterAsync((CoapChannel Channel, CoapToken Token) key)
    {
        TaskCompletionSource<bool>? superseded;
        TaskCompletionSource<bool> turn = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _shard.Enter();
        try
        {
            if (_inProgress.TryAdd(key, null))
            {
                return Task.FromResult(true);
            }

            superseded = _inProgress[key];
            _inProgress[key] = turn;
        }
        finally
        {
            _shard.ExitAndSend();
        }

        superseded?.SetResult(false);
        return turn.Task;
    }

    private void Leave((CoapChannel Channel, CoapToken Token) key)
    {
        TaskCompletionSource<bool>? next;
        _shard.Enter();
        try
        {
            next = _inProgress[key];
            if (next is null)
            {
                _inProgress.Remove(key);
            }
            else
            {
                _inProgress[key] = null;
            }
        }
        finally
        {
            _shard.ExitAndSend();
        }

        next?.SetResult(true);
    }

    // The protected request; null when it no longer waits for a response.
    private CoapMessage? RequestOf((CoapChannel Channel, CoapToken Token) key)
    {
        _shard.Enter();
        try
        {
            CoapTransmission? sent = ExchangeLayer.TryFindPending(key.Channel, key.Token, out ClientRequest? pending) ? pending.Transmission
                : ExchangeLayer.TryFind(key.Channel, key.Token, out MultiResponseToken? standing) ? standing.Registration
                : null;
            return sent is { IsMessageProtected: true } ? sent.Message : null;
        }
        finally
        {
            _shard.ExitAndSend();
        }
    }

    // The request with the cache key that the proxy uses; it gets its token when it is sent.
    private static CoapMessage NextOf(CoapMessage request, BlockValue block)
    {
        CoapMessage next = request.Clone();
        next.Type = CoapMessageType.Confirmable;
        next.Options.Block1 = null;
        next.Options.Block2 = block;

        // It requests the existing content and registers no observer.
        next.Options.Observe = null;
        return next;
    }
}
