using System.Runtime.InteropServices;

namespace CoAP.NET.Transports.Loops;

/// <summary>struct iovec.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct IoVector
{
    public byte* Base;
    public nuint Length;
}

/// <summary>struct msghdr, 64 bits.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct SocketMessageHeader
{
    public byte* Name;
    public uint NameLength;
    public IoVector* Vectors;
    public nuint VectorCount;
    public byte* Control;
    public nuint ControlLength;
    public int Flags;
}

/// <summary>struct mmsghdr, 64 bits.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct MmsgHeader
{
    public SocketMessageHeader Header;
    public uint Length;
}

/// <summary>struct pollfd.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct PollEntry
{
    public int File;
    public short Events;
    public short Returned;
}

/// <summary>A struct epoll_event in memory. It is packed on x64 only.</summary>
/// <param name="at">Its first byte.</param>
internal readonly unsafe struct EpollEvent(byte* at)
{
    private static readonly int s_dataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;

    public static int Size => s_dataOffset + 8;

    public ref uint Events => ref *(uint*)at;

    public ref long Data => ref *(long*)(at + s_dataOffset);
}
