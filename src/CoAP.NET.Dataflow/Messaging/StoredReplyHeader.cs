using System.Runtime.InteropServices;

namespace CoAP.NET.Messaging;

/// <summary>The header of a reply in a <see cref="ReplySegment"/>, in its memory layout.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct StoredReplyHeader
{
    /// <summary>The size of the header in bytes.</summary>
    public const int Size = 22;

    /// <summary>
    /// Stands for the hash of a message from another process, which hashes differently. The Message ID alone identifies the message.
    /// </summary>
    public const uint AnyHash = 0;

    /// <summary>The end of the time in which duplicates may arrive, in <see cref="Clock"/> units.</summary>
    public uint Expiry;

    /// <summary>The hash of the answered message.</summary>
    public uint Hash;

    /// <summary>The number of reply bytes that follow.</summary>
    public ushort Length;

    /// <summary>The peer (<see cref="PeerMessagingState.Id"/>).</summary>
    public uint Peer;

    public ushort MessageId;

    /// <summary>The share that the entry counts against (<see cref="DuplicateQuota"/>); 0 for none.</summary>
    public int Share;

    public DuplicateReplyKind Reply;

    public MethodSafety Class;

    /// <summary>Returns the bytes of an entry with a reply of the given length.</summary>
    public static int EntrySize(int replyLength) => (Size + replyLength + 7) & ~7;

    /// <summary>Whether the entry belongs to a message with the hash.</summary>
    public readonly bool IsOf(uint hash) => Hash == hash || Hash == AnyHash;

    /// <summary>Times in 32 bits, in units of 13 ms. Comparisons handle the wrap after 651 days.</summary>
    public static class Clock
    {
        private const int Bits = 17;

        /// <summary>Returns the first unit that is not before a time.</summary>
        public static uint After(long time) => (uint)((time + (1 << Bits) - 1) >> Bits);

        /// <summary>Whether a time has passed. The time may be at most 325 days ahead.</summary>
        public static bool HasPassed(uint time, long now) => (int)(time - (uint)(now >> Bits)) <= 0;

        /// <summary>Returns the remaining time in units of 100 ns.</summary>
        public static long Left(uint time, long now) => Math.Max(0, (long)(int)(time - (uint)(now >> Bits)) << Bits);

        public static uint Later(uint left, uint right) => (int)(left - right) >= 0 ? left : right;
    }
}
