using System.Buffers;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Frames one after the other (RFC 8323 section 3.2): each ends where its header says, and a beginning never says what its continuation
/// takes back.
/// </summary>
internal sealed class StreamTarget() : MessageTarget(CoapStreamSerializer.Default, default)
{
    public override ulong Run(byte[] input)
    {
        ulong seed = SeedOf(input);
        ReadOnlySequence<byte> rest = SplitSequence.Make(input, seed);
        ulong signature = 0;
        int at = 0;
        for (int i = 0; i < 8; i++)
        {
            byte[] left = at == 0 ? input : input[at..];
            bool? expected = Reference.ReadFrame(left);
            bool isRead = Serializer.TryDeserialize(rest, out CoapMessage? message, out SequencePosition consumed,
                out CoapFormatError error);
            Check(isRead == (expected == true) && error.IsNone == (expected != false), "verdict",
                $"The library says {(isRead ? "yes" : error.ToString())}, the second reader {expected?.ToString() ?? "more"}.");
            long length = rest.Slice(rest.Start, consumed).Length;
            if (IsPlanted("consumed") && isRead && left[0] >> 4 == 13)
            {
                length--;
            }

            Check(length == (isRead ? Reference.End : 0), "consumed",
                $"{length} B were consumed; the frame has {(isRead ? Reference.End : 0)}.");
            CheckBeginning(left, isRead ? (int)length : left.Length, error, seed);
            signature = i < 2 ? FuzzRandom.Mix(signature, Signature(message, error) + (isRead ? 0ul : 1ul)) : signature;
            if (message is null)
            {
                break;
            }

            CoapMessage? whole = Read(left, true, (int)length, out _);
            CheckSame(message, whole!, "sequence");
            CheckWritten(message, left.AsSpan(0, (int)length));
            CheckSlowWays(left, (int)length, message, error, seed);
            rest = rest.Slice(consumed);
            at += (int)length;
        }

        return signature;
    }

    private void CheckBeginning(byte[] input, int length, CoapFormatError error, ulong seed)
    {
        int cut = (int)((seed >> 40) % (ulong)(length + 1));
        bool isRead = Serializer.TryDeserialize(new ReadOnlySequence<byte>(input, 0, cut), out _, out _, out CoapFormatError early);
        Check(cut == length || !isRead, "beginning", $"{cut} of {length} B are a frame already.");
        Check(early.IsNone || early.Equals(error), "beginning", $"The beginning is {early}, the whole {error}.");
    }
}
