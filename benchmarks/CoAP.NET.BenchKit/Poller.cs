using System.Runtime.InteropServices;

namespace CoAP.NET.Bench;

/// <summary>Tells which of many sockets have something to read or room to write (epoll).</summary>
internal sealed unsafe class Poller : IDisposable
{
    private const int Capacity = 256;

    // The structure is packed on x64 only.
    private static readonly int s_eventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;
    private static readonly int s_dataOffset = s_eventSize - 8;

    private readonly int _epoll = LibC.Check(LibC.EpollCreate(0));
    private readonly byte[] _events = GC.AllocateArray<byte>(Capacity * 16, pinned: true);

    /// <summary>Watches a socket; closing it ends that.</summary>
    /// <param name="descriptor">Its descriptor.</param>
    /// <param name="tag">What <see cref="Wait"/> says when it has something.</param>
    /// <param name="isReading">Whether something to read is waited for.</param>
    /// <param name="isWriting">Whether room to write is waited for.</param>
    /// <param name="isKnown">Whether it is watched already, and this is a change.</param>
    public void Watch(int descriptor, int tag, bool isReading = true, bool isWriting = false, bool isKnown = true)
    {
        byte* one = stackalloc byte[16];
        *(uint*)one = (isReading ? LibC.EventIn : 0) | (isWriting ? LibC.EventOut : 0);
        *(long*)(one + s_dataOffset) = tag;
        LibC.Check(LibC.EpollControl(_epoll, isKnown ? LibC.CtlMod : LibC.CtlAdd, descriptor, one));
    }

    /// <summary>Waits.</summary>
    /// <param name="tags">Filled with the tags of sockets that have something.</param>
    /// <param name="milliseconds">How long at most.</param>
    /// <returns>How many.</returns>
    public int Wait(Span<int> tags, int milliseconds)
    {
        fixed (byte* events = _events)
        {
            int count = LibC.EpollWait(_epoll, events, Math.Min(tags.Length, Capacity), milliseconds);
            if (count < 0 && LibC.LastError == LibC.Interrupted)
            {
                return 0;
            }

            LibC.Check(count);
            for (int i = 0; i < count; i++)
            {
                tags[i] = (int)*(long*)(events + (i * s_eventSize) + s_dataOffset);
            }

            return count;
        }
    }

    public void Dispose() => _ = LibC.Close(_epoll);
}
