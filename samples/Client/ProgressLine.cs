using CoAP.NET;

namespace Client;

/// <summary>Shows how far a large body is, on one line of the error stream.</summary>
internal sealed class ProgressLine : IProgress<CoapProgress>
{
    private const int Step = 128 * 1024;

    private long _shown;

    public void Report(CoapProgress value)
    {
        bool isEnd = value.BytesTransferred == value.TotalBytes;
        if (value.BytesTransferred < _shown)
        {
            // The response follows the request, or the transfer began again.
            _shown = 0;
        }

        if (value.BytesTransferred - _shown >= Step || (isEnd && _shown > 0))
        {
            _shown = value.BytesTransferred;
            Console.Error.Write(
                $"\r{(value.IsUpload ? "sent" : "received")} {value.BytesTransferred:N0} of {value.TotalBytes?.ToString("N0") ?? "?"} "
                    + $"B{(isEnd ? Environment.NewLine : "")}");
        }
    }
}
