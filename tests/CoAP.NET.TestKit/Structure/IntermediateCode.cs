using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;

namespace CoAP.NET.Tests.Structure;

/// <summary>Finds the metadata tokens in the code of a method.</summary>
internal static class IntermediateCode
{
    private static readonly Dictionary<int, OpCode> s_codes = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => (int)(ushort)code.Value);

    public static IEnumerable<int> Tokens(BlobReader code)
    {
        List<int> tokens = [];
        while (code.RemainingBytes > 0)
        {
            int value = code.ReadByte();
            if (value == 0xfe)
            {
                value = 0xfe00 | code.ReadByte();
            }

            switch (s_codes[value].OperandType)
            {
                case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                    tokens.Add(code.ReadInt32());
                    break;
                case OperandType.InlineNone:
                    break;
                case OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar:
                    code.ReadByte();
                    break;
                case OperandType.InlineVar:
                    code.ReadInt16();
                    break;
                case OperandType.InlineI8 or OperandType.InlineR:
                    code.ReadInt64();
                    break;
                case OperandType.InlineSwitch:
                    int targets = code.ReadInt32();
                    code.Offset += targets * sizeof(int);
                    break;
                default:
                    code.ReadInt32();
                    break;
            }
        }

        return tokens;
    }
}
