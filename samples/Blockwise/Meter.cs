using CoAP.NET;

namespace Blockwise;

/// <summary>
/// Prints how far a transfer is at every quarter, with what is alive on the heap; cancels it on the way if it was told to.
/// </summary>
internal sealed class Meter(string name, double cancelAt = double.PositiveInfinity) : IProgress<CoapProgress>
{
    private readonly CancellationTokenSource _cancel = new();
    private readonly long _begun = TimeProvider.System.GetTimestamp();
    private int _quarter;

    public static long PeakHeap { get; private set; }

    public CancellationToken Cancelled => _cancel.Token;

    public CoapETag? ETag { get; private set; }

    public void Report(CoapProgress value)
    {
        // Servers say how large a body is, but need not.
        if (value.TotalBytes is not > 0)
        {
            return;
        }

        ETag = value.ETag ?? ETag;
        double part = (double)value.BytesTransferred / value.TotalBytes.Value;
        while (_quarter < 4 && part >= (_quarter + 1) / 4.0)
        {
            _quarter++;
            long heap = GC.GetTotalMemory(forceFullCollection: true);
            PeakHeap = Math.Max(PeakHeap, heap);
            double seconds = TimeProvider.System.GetElapsedTime(_begun).TotalSeconds;
            Console.WriteLine(
                $"  {name} {_quarter * 25,3} %: {value.BytesTransferred,13:N0} B in {seconds:0.0} "
                    + $"s, {value.BytesTransferred / 1048576.0 / seconds:0.0} MiB/s; {heap / 1048576.0:0.0} MiB alive");
        }

        if (part >= cancelAt)
        {
            _cancel.Cancel();
        }
    }
}
