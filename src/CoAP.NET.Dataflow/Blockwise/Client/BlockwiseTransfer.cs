using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// One request whose bodies go in blocks: the upload first, then the download of the response (RFC 7959 section 2.7). Has what the messages
/// of both have in common, and sends them.
/// </summary>
/// <param name="step">Sends messages, and knows which uploads are not concluded.</param>
/// <param name="request">The request.</param>
internal sealed class BlockwiseTransfer(BlockwiseStep step, OutgoingRequest request)
{
    private readonly CoapEnvironment _environment = step.Environment;
    private int? _untagged;
    private bool _hasBegun;

    public OutgoingRequest Request => request;

    public CoapChannel Channel => request.Channel;

    /// <summary>The transfer settings of the caller; null for none.</summary>
    public TransferSettings? Settings => request.Request.Transfer;

    /// <summary>The request as every message of the transfer has it, without body and blocks.</summary>
    public CoapMessage Template { get; } = TemplateOf(request);

    /// <summary>Whether the body of the request went in blocks, so that no message holds all of it.</summary>
    public bool IsUploadedInBlocks { get; private set; }

    public CoapLimits Limits => _environment.Limits;

    public CoapCounters Counters => _environment.Counters;

    public ILogger Logger => _environment.Logger;

    /// <summary>The peer, human-readable.</summary>
    public string Target => request.Channel.ToString();

    /// <summary>Does what is left of the request.</summary>
    /// <param name="answer">The response to the whole request, or the first block of the response; null when nothing was sent yet.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, without it where that is read as a stream, or an error response.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _hasBegun = answer is not null;
        bool uploads = answer is null
            || (request.FirstBlock is null && (answer.Code == CoapCode.RequestEntityTooLarge || answer.Code == CoapCode.Continue));
        CoapResponse response = uploads
            ? await new BlockUpload(this).RunAsync(answer, cancellationToken).ConfigureAwait(false)
            : answer!;
        CoapResponse whole = await new BlockDownload(this).RunAsync(response, cancellationToken).ConfigureAwait(false);
        if (Settings?.OpenedResponse is not { IsStreamed: true })
        {
            Conclude();
        }

        return whole;
    }

    /// <summary>Sends a message and gives the response to it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <param name="token">The token of an earlier message to use again; empty for a new one.</param>
    public async Task<CoapResponse> ExchangeAsync(CoapMessage message, CancellationToken cancellationToken, CoapToken token = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (_hasBegun || IsUploadedInBlocks)
        {
            // Each block is waited for before the next one, so a single lost one would end a transfer of Non-confirmable messages. It costs
            // no datagram, because the acknowledgement carries the response.
            message.Type = CoapMessageType.Confirmable;
        }

        try
        {
            OutgoingRequest next = request with { Message = message, FirstBlock = null, Cancellation = cancellationToken };
            if (token.Length > 0)
            {
                message.Token = token;
                next = next with { KeepsToken = true };
            }

            if (Settings?.OpenedResponse is { IsStreamed: true })
            {
                // The reader sets the pace, so the timeout applies to each block.
                next = next with { StartedAt = _environment.Now };
            }

            CoapResponse response = await step.SendBelowAsync(next).ConfigureAwait(false);
            _hasBegun = true;
            return response;
        }
        catch (CoapException exception) when (exception.Error == CoapError.Unreachable && _hasBegun)
        {
            throw RequestErrors.Disappeared(Target, isOutcomeUnknown: !request.Message.Code.IsSafe, exception);
        }
        catch (CoapTimeoutException exception) when (_hasBegun)
        {
            throw exception.InTransfer(request.Timeout);
        }
    }

    /// <summary>
    /// Returns the token for the next message of the operation; empty for a new one. Some servers join the blocks of a body by their token
    /// (go-coap, node-coap): of blocks with different ones go-coap keeps the last, and says 2.04.
    /// </summary>
    /// <remarks>
    /// Over DTLS and TLS a late response must not match another request (RFC 9175 section 4.2): there a number has to bind each response to
    /// its block. The tokens of a protected request belong to its keys.
    /// </remarks>
    /// <param name="response">The response to the last message.</param>
    /// <param name="block">The block that it names; null for none.</param>
    public CoapToken TokenAfter(CoapMessage response, BlockValue? block) =>
        Channel is { Carried: null } channel && (!channel.IsSecure || block is not null) ? response.Token : default;

    /// <summary>
    /// The body goes in blocks: the same tag is in all messages of the operation, those of the response's body too (RFC 9175 section
    /// 3.4).
    /// </summary>
    public void BeginBlocks()
    {
        if (!IsUploadedInBlocks)
        {
            IsUploadedInBlocks = true;
            _untagged = step.Tags.Begin(Channel.Links.AddressHash, Template);
        }
    }

    /// <summary>
    /// Ends the operation: the next one at the resource needs no tag. A cancelled or unanswered transfer may still be stored at the server,
    /// and is not concluded.
    /// </summary>
    public void Conclude() => step.Tags.Conclude(Channel.Links.AddressHash, _untagged);

    /// <summary>The block of the response to ask for in the first message; null to leave the size to the server.</summary>
    public BlockValue? FirstWanted()
    {
        if (Settings?.Download is { Offset: > 0 and long offset })
        {
            if (!PeerBlockwiseState.TakesBlocks(Channel))
            {
                throw new CoapException(
                    $"{Target} refused a block with 4.02 Bad Option before (RFC 8323 section 5.3.2), so only the whole body can be "
                    + "requested. Download it from the beginning.");
            }

            int exponent = RequestBlockSizes.DownloadExponent(request);
            int unit = BlockPayloadSize.UnitOf(exponent);
            return offset < BlockPayloadSize.Capacity(exponent)
                ? new BlockValue((int)(offset / unit), more: false, exponent)
                : throw new CoapException(
                    $"There is no block of {unit} bytes at that position: {BlockPayloadSize.Capacity(exponent)} bytes have numbers "
                    + "(RFC 7959 section 2.2). Use larger blocks.");
        }

        return RequestBlockSizes.EarlyExponent(request) is { } early ? new BlockValue(0, more: false, early) : null;
    }

    /// <summary>Returns the error for a response that violates a rule; counted and logged.</summary>
    /// <param name="why">The violation.</param>
    /// <param name="isChanged">Whether the server has another representation meanwhile.</param>
    public CoapProtocolException Refuse(string why, bool isChanged = false)
    {
        Counters.Add(CoapCounter.BadBlocks);
        BlockwiseLog.ResponseBlockRefused(Logger, Target, why);
        return new CoapProtocolException(isChanged ? CoapError.RepresentationChanged : CoapError.InvalidResponse, $"{Target} {why}");
    }

    private static CoapMessage TemplateOf(OutgoingRequest request)
    {
        CoapMessage template = request.CopyMessage();
        template.Options.Block1 = null;
        template.Options.Block2 = null;
        return template;
    }
}
