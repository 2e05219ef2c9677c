using CoAP.NET.Blockwise;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.Requesting;

/// <summary>One request whose bodies go in blocks: the upload first, then the download of the response (RFC 7959 section 2.7). The rules are in the state machines; here is what takes time.</summary>
internal sealed partial class BlockwiseTransfer
{
    private const int MaxRestarts = 3;

    private readonly BlockwiseStep _step;
    private readonly OutgoingRequest _request;
    private readonly TransferWishes? _wishes;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;

    // The request as every message of the transfer has it, without body and blocks.
    private readonly CoapMessage _template;
    private bool _hasBegun;
    private bool _isUploadedInBlocks;
    private bool _isTagged;
    private int? _untagged;

    public BlockwiseTransfer(BlockwiseStep step, OutgoingRequest request)
    {
        _step = step;
        _request = request;
        _wishes = request.Request.Transfer;
        _limits = step.Environment.Limits;
        _counters = step.Environment.Counters;
        _template = request.CopyMessage();
        _template.Options.Block1 = null;
        _template.Options.Block2 = null;
    }

    private string Target => _request.Channel.ToString();

    /// <summary>Does what is left of the request.</summary>
    /// <param name="answer">The response to the whole request, or the first block of the response; null when nothing was sent yet.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, or an error response.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _hasBegun = answer is not null;
        CoapResponse response = answer is null || (_request.FirstBlock is null && (answer.Code == CoapCode.RequestEntityTooLarge || answer.Code == CoapCode.Continue))
            ? await UploadAsync(answer, cancellationToken).ConfigureAwait(false)
            : answer;
        CoapResponse whole = await DownloadAsync(response, cancellationToken).ConfigureAwait(false);
        if (_untagged is { } resource)
        {
            // Only here: what was cancelled or got no answer may still lie with the server.
            _step.Tags.Conclude(_request.Channel.AddressHash, resource);
        }

        return whole;
    }

    private async Task<CoapResponse> ExchangeAsync(CoapMessage message, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        try
        {
            CoapResponse response = await _step.SendBelowAsync(_request with { Message = message, FirstBlock = null, Cancellation = cancellationToken }).ConfigureAwait(false);
            _hasBegun = true;
            return response;
        }
        catch (CoapUnreachableException exception) when (_hasBegun)
        {
            throw new CoapUnreachableException(Target, exception);
        }
        catch (CoapTimeoutException exception) when (_hasBegun)
        {
            throw exception.InTransfer(_request.Timeout);
        }
    }

    // The response as if it had come in one message.
    private static CoapResponse Assemble(CoapResponse first, ReadOnlyMemory<byte> payload)
    {
        CoapMessage received = first.Message;
        CoapMessage message = new(received.Code) { Type = received.Type, MessageId = received.MessageId, Token = received.Token, Payload = payload };
        if (received.HasOptions)
        {
            CoapOptionCollection options = message.Options;
            options.AddAll(received.OptionsToRead!);
            options.Block1 = null;
            options.Block2 = null;
            options.Size2 = null;
        }

        return first.With(message);
    }

    private CoapProtocolException Refuse(string why)
    {
        _counters.Add(CoapCounter.BadBlocks);
        Log.ResponseBlockRefused(_step.Environment.Logger, Target, why);
        return new CoapProtocolException($"{Target} {why}");
    }
}
