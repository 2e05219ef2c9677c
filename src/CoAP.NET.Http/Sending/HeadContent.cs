using System.Net;

namespace CoAP.NET.Http.Sending;

/// <summary>The content of a response to HEAD: the header fields of a body of unknown length, without the body.</summary>
internal sealed class HeadContent : HttpContent
{
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => Task.CompletedTask;

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
