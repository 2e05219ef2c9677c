using System.Buffers.Binary;
using System.Reflection;
using System.Reflection.Emit;

namespace CoAP.NET.Tests.Structure;

/// <summary>Reads the code of a method.</summary>
internal static class IntermediateCode
{
    private static readonly Dictionary<int, OpCode> s_codes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => (int)(ushort)code.Value);

    /// <summary>The instructions, each with its metadata token; 0 for one without.</summary>
    public static IEnumerable<(OpCode Code, int Token)> Instructions(byte[] code)
    {
        for (int at = 0; at < code.Length;)
        {
            int value = code[at++];
            if (value == 0xfe)
            {
                value = 0xfe00 | code[at++];
            }

            OpCode read = s_codes[value];
            int token = 0;
            switch (read.OperandType)
            {
                case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                    token = ReadInt32(code, at);
                    at += sizeof(int);
                    break;
                case OperandType.InlineNone:
                    break;
                case OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar:
                    at++;
                    break;
                case OperandType.InlineVar:
                    at += sizeof(short);
                    break;
                case OperandType.InlineI8 or OperandType.InlineR:
                    at += sizeof(long);
                    break;
                case OperandType.InlineSwitch:
                    at += (ReadInt32(code, at) + 1) * sizeof(int);
                    break;
                default:
                    at += sizeof(int);
                    break;
            }

            yield return (read, token);
        }
    }

    /// <summary>The metadata tokens of the instructions.</summary>
    public static IEnumerable<int> Tokens(byte[] code) =>
        Instructions(code).Select(static instruction => instruction.Token).Where(static token => token != 0);

    private static int ReadInt32(byte[] code, int at) => BinaryPrimitives.ReadInt32LittleEndian(code.AsSpan(at));
}
