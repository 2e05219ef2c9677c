using System.Runtime.InteropServices;

namespace CoAP.NET.Messaging;

/// <summary>What stands in a <see cref="ReplyLog"/> in front of the bytes of a reply. Written and read as it lies in memory.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal struct ReplyHeader
{
    /// <summary>The size of the header in bytes.</summary>
    public const int Size = 18;

    /// <summary>
    /// Stands for the hash of a message that another process took, whose hashes are others: the Message ID tells it alone.
    /// </summary>
    public const uint AnyHash = 0;

    /// <summary>Until when duplicates may come, in <see cref="Clock"/> units.</summary>
    public uint Expiry;

    /// <summary>The hash of the message that was answered.</summary>
    public uint Hash;

    /// <summary>How many bytes of reply follow.</summary>
    public ushort Length;

    /// <summary>
    /// The number of the peer whose index points here, and its Message ID there; so that the index is told when this goes.
    /// </summary>
    public int Owner;

    /// <summary>See <see cref="Owner"/>.</summary>
    public ushort MessageId;

    public StoredReply Reply;

    public MethodClass Class;

    /// <summary>The number of bytes that an entry takes with a reply of some length.</summary>
    public static int EntrySize(int replyLength) => (Size + replyLength + 7) & ~7;

    /// <summary>Whether it is of a message with a hash.</summary>
    public readonly bool IsOf(uint hash) => Hash == hash || Hash == AnyHash;

    /// <summary>Times in 32 bits, in units of 13 ms, compared around the wrap after 651 days.</summary>
    public static class Clock
    {
        private const int Bits = 17;

        /// <summary>The first unit that is not before a time.</summary>
        public static uint After(long time) => (uint)((time + (1 << Bits) - 1) >> Bits);

        /// <summary>Whether a time that lies at most 325 days ahead has passed.</summary>
        public static bool HasPassed(uint time, long now) => (int)(time - (uint)(now >> Bits)) <= 0;

        /// <summary>How long it is until a time, in units of 100 ns.</summary>
        public static long Left(uint time, long now) => Math.Max(0, (long)(int)(time - (uint)(now >> Bits)) << Bits);

        public static uint Later(uint left, uint right) => (int)(left - right) >= 0 ? left : right;
    }
}
