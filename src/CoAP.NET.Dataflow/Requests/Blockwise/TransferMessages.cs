using CoAP.NET.Options;
using CoAP.NET.Requests;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Blockwise;

/// <summary>The messages of one request whose bodies go in blocks: what they have in common, and how they are sent.</summary>
internal sealed class TransferMessages
{
    private readonly BlockwiseStep _step;
    private int? _untagged;
    private bool _isTagged;

    /// <param name="step">Sends messages, and knows which uploads are not concluded.</param>
    /// <param name="request">The request.</param>
    /// <param name="hasBegun">Whether something of it was answered before.</param>
    public TransferMessages(BlockwiseStep step, OutgoingRequest request, bool hasBegun)
    {
        _step = step;
        Request = request;
        HasBegun = hasBegun;
        Template = request.CopyMessage();
        Template.Options.Block1 = null;
        Template.Options.Block2 = null;
    }

    /// <summary>The request.</summary>
    public OutgoingRequest Request { get; }

    /// <summary>The transfer options of the caller; null for none.</summary>
    public TransferWishes? Wishes => Request.Request.Transfer;

    /// <summary>The request as every message of the transfer has it, without body and blocks.</summary>
    public CoapMessage Template { get; }

    /// <summary>Whether the body of the request went in blocks, so that no message holds all of it.</summary>
    public bool IsUploadedInBlocks { get; private set; }

    public CoapLimits Limits => _step.Environment.Limits;

    public CoapCounters Counters => _step.Environment.Counters;

    public ILogger Logger => _step.Environment.Logger;

    /// <summary>The peer, human-readable.</summary>
    public string Target => Request.Channel.ToString();

    private bool HasBegun { get; set; }

    /// <summary>Sends a message and gives the response to it.</summary>
    /// <param name="message">The message.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <param name="token">The token of an earlier message to use again; empty for a new one.</param>
    public async Task<CoapResponse> ExchangeAsync(CoapMessage message, CancellationToken cancellationToken, CoapToken token = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        if (HasBegun || IsUploadedInBlocks)
        {
            // Each block is waited for before the next one, so a single lost one would end a transfer of Non-confirmable messages. It costs
            // no datagram, because the acknowledgement carries the response.
            message.Type = CoapMessageType.Confirmable;
        }

        try
        {
            OutgoingRequest next = Request with { Message = message, FirstBlock = null, Cancellation = cancellationToken };
            if (token.Length > 0)
            {
                message.Token = token;
                next = next with { KeepsToken = true };
            }

            if (Wishes?.Overflow is { HasBegun: true })
            {
                // The reader sets the pace, so the timeout applies to each block.
                next = next with { StartedAt = _step.Environment.Now };
            }

            CoapResponse response = await _step.SendBelowAsync(next).ConfigureAwait(false);
            HasBegun = true;
            return response;
        }
        catch (CoapUnreachableException exception) when (HasBegun)
        {
            throw new CoapUnreachableException(Target, exception);
        }
        catch (CoapTimeoutException exception) when (HasBegun)
        {
            throw exception.InTransfer(Request.Timeout);
        }
    }

    /// <summary>
    /// The body goes in blocks: the same tag stands in all messages of the operation, those of the response's body too (RFC 9175 section
    /// 3.4).
    /// </summary>
    public void BeginBlocks()
    {
        IsUploadedInBlocks = true;
        if (_isTagged)
        {
            return;
        }

        _isTagged = true;
        if (Template.Options.Contains(OptionNumber.RequestTag))
        {
            return;
        }

        Span<byte> tag = stackalloc byte[4];
        int resource = UploadTags.ResourceOf(Template);
        if (_step.Tags.Begin(Request.Channel.AddressHash, resource, tag))
        {
            Template.Options.Add(OptionNumber.RequestTag, tag);
        }
        else
        {
            _untagged = resource;
        }
    }

    /// <summary>
    /// Ends the operation: the next one at the resource needs no tag. A cancelled or unanswered transfer may still be stored at the server,
    /// and is not concluded.
    /// </summary>
    public void Conclude()
    {
        if (_untagged is { } resource)
        {
            _step.Tags.Conclude(Request.Channel.AddressHash, resource);
        }
    }

    /// <summary>The block of the response to ask for in the first message; null to leave the size to the server.</summary>
    public BlockValue? FirstWanted()
    {
        if (Wishes?.Download is { Offset: > 0 and long offset })
        {
            if (!Request.Channel.TakesBlocks)
            {
                throw new CoapException(
                    $"{Target} refused a block with 4.02 Bad Option before (RFC 8323 section 5.3.2), so that nothing but the whole can be "
                    + "asked of it. Download it from the beginning.");
            }

            int exponent = TransferSizes.DownloadExponent(Request);
            int unit = BlockFit.UnitOf(exponent);
            return offset < UploadTransfer.Capacity(exponent)
                ? new BlockValue((int)(offset / unit), more: false, exponent)
                : throw new CoapException(
                    $"There is no block of {unit} bytes that far behind: {UploadTransfer.Capacity(exponent)} bytes have numbers "
                    + "(RFC 7959 section 2.2). Use larger blocks.");
        }

        return TransferSizes.EarlyExponent(Request) is { } early ? new BlockValue(0, more: false, early) : null;
    }

    /// <summary>Returns the error for a response that violates a rule; counted and logged.</summary>
    /// <param name="why">The violation.</param>
    /// <param name="isChanged">Whether the server has another representation meanwhile.</param>
    public CoapProtocolException Refuse(string why, bool isChanged = false)
    {
        Counters.Add(CoapCounter.BadBlocks);
        BlockwiseLog.ResponseBlockRefused(Logger, Target, why);
        return new CoapProtocolException($"{Target} {why}") { IsRepresentationChanged = isChanged };
    }
}
