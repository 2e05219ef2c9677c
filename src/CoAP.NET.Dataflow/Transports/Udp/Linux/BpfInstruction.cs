using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>An instruction of classic BPF, in the kernel's layout (struct sock_filter).</summary>
/// <param name="code">The operation.</param>
/// <param name="value">The constant.</param>
/// <param name="ifTrue">The number of instructions to skip if the condition holds.</param>
/// <param name="ifFalse">The number of instructions to skip otherwise.</param>
[StructLayout(LayoutKind.Sequential)]
internal readonly struct BpfInstruction(ushort code, uint value, byte ifTrue = 0, byte ifFalse = 0)
{
    public readonly ushort Code = code;
    public readonly byte IfTrue = ifTrue;
    public readonly byte IfFalse = ifFalse;
    public readonly uint Value = value;
}
