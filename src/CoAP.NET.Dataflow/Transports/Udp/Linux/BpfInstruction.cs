using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>An instruction of classic BPF, as the kernel has it (struct sock_filter).</summary>
/// <param name="code">What it does.</param>
/// <param name="value">Its constant.</param>
/// <param name="ifTrue">How many instructions to skip when its condition holds.</param>
/// <param name="ifFalse">How many when it does not.</param>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct BpfInstruction(ushort code, uint value, byte ifTrue = 0, byte ifFalse = 0)
{
    public readonly ushort Code = code;
    public readonly byte IfTrue = ifTrue;
    public readonly byte IfFalse = ifFalse;
    public readonly uint Value = value;
}
