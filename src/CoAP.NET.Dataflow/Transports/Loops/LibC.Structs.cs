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

/// <summary>struct epoll_event, which is packed on x64 only.</summary>
internal static unsafe class EpollEvent
{
    private static readonly int s_dataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;

    public static int Size => s_dataOffset + 8;

    public static void Write(byte* at, uint events, long data)
    {
        *(uint*)at = events;
        *(long*)(at + s_dataOffset) = data;
    }

    public static uint Events(byte* at) => *(uint*)at;

    public static long Data(byte* at) => *(long*)(at + s_dataOffset);
}
