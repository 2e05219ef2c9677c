using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise;

/// <summary>
/// One request whose bodies go in blocks: the upload first, then the download of the response (RFC 7959 section 2.7). The rules are in the
/// state machines; here and in what it uses is what takes time.
/// </summary>
/// <param name="step">Sends messages.</param>
/// <param name="request">The request.</param>
internal sealed class BlockwiseTransfer(BlockwiseStep step, OutgoingRequest request)
{
    /// <summary>Does what is left of the request.</summary>
    /// <param name="answer">The response to the whole request, or the first block of the response; null when nothing was sent yet.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, without it where that is read as a stream, or an error response.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        TransferMessages messages = new(step, request, hasBegun: answer is not null);
        bool uploads = answer is null
            || (request.FirstBlock is null && (answer.Code == CoapCode.RequestEntityTooLarge || answer.Code == CoapCode.Continue));
        CoapResponse response = uploads
            ? await new BlockwiseUpload(messages).RunAsync(answer, cancellationToken).ConfigureAwait(false)
            : answer!;
        CoapResponse whole = await new BlockwiseDownload(messages).RunAsync(response, cancellationToken).ConfigureAwait(false);
        if (messages.Wishes?.Overflow is not { HasBegun: true })
        {
            messages.Conclude();
        }

        return whole;
    }
}
