using System.Diagnostics;

namespace CoAP.NET.Diagnostics;

/// <summary>
/// A trace context as the value of an option: trace id (16 bytes), span id (8), flags (1), as in W3C Trace Context without its text form.
/// No CoAP standard has an option for it, so the user chooses a number for experiments.
/// </summary>
internal static class TraceContext
{
    public const int Length = 25;

    public static void Write(ActivityContext context, Span<byte> destination)
    {
        context.TraceId.CopyTo(destination[..16]);
        context.SpanId.CopyTo(destination[16..24]);
        destination[24] = (byte)context.TraceFlags;
    }

    /// <summary>Reads the value of a peer. Returns false for another length, and for an id of zeros.</summary>
    public static bool TryRead(ReadOnlySpan<byte> value, out ActivityContext context)
    {
        context = default;
        if (value.Length != Length || value[..16].IndexOfAnyExcept((byte)0) < 0 || value[16..24].IndexOfAnyExcept((byte)0) < 0)
        {
            return false;
        }

        context = new ActivityContext(
            ActivityTraceId.CreateFromBytes(value[..16]), ActivitySpanId.CreateFromBytes(value[16..24]),
            (ActivityTraceFlags)(value[24] & 1), null, isRemote: true);
        return true;
    }
}
