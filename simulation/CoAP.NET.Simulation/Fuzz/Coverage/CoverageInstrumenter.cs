using System.Runtime.InteropServices;
using CoAP.NET.Cryptography;
using CoAP.NET.Simulation.Traces;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Rewrites a copy of the library so that it tells which sides of its branches are reached: at the beginning of each block one byte of a
/// map is looked at, and set, and counted, when it was 0. Nothing needs to be compared after an execution: something new was reached when
/// the count grew.
/// </summary>
internal static class CoverageInstrumenter
{
    public const string TypeName = "CoAP.NET.FuzzCoverage";
    public const string StateField = "State";
    public const string CountField = "Blocks";

    /// <summary>Where the map begins behind the count, which has a cache line for itself.</summary>
    public const int MapOffset = 64;

    /// <summary>Rewrites an assembly.</summary>
    /// <param name="path">Where the assembly is.</param>
    /// <returns>The assembly rewritten.</returns>
    public static byte[] Rewrite(string path) => LibraryRewriter.Rewrite(path, Instrument);

    private static void Instrument(ModuleDefinition module)
    {
        TypeDefinition coverage = LibraryRewriter.MakeStaticClass(module, "FuzzCoverage");
        FieldDefinition state = new(StateField, FieldAttributes.Public | FieldAttributes.Static | FieldAttributes.InitOnly,
            module.TypeSystem.IntPtr);
        coverage.Fields.Add(state);
        MethodDefinition mark = MakeMark(module, state);
        coverage.Methods.Add(mark);
        int blocks = 0;
        // No branch of the hash depends on what is hashed, and it is most of the work of a handshake.
        foreach (TypeDefinition type in module.GetTypes().Where(static type => type.Name != nameof(Sha256)))
        {
            // What the runtime writes itself, such as an UnsafeAccessor, has a body without instructions.
            foreach (MethodDefinition method in type.Methods.Where(method => method.HasBody && method.Body.Instructions.Count > 0))
            {
                blocks = Instrument(method, mark, blocks);
            }
        }

        coverage.Fields.Add(new FieldDefinition(CountField,
            FieldAttributes.Public | FieldAttributes.Static | FieldAttributes.Literal | FieldAttributes.HasDefault, module.TypeSystem.Int32)
        {
            Constant = blocks
        });
        coverage.Methods.Add(MakeInitializer(module, state, blocks));
        module.Types.Add(coverage);
    }

    // static void Mark(int block) { byte* place = State + MapOffset + block; if (*place == 0) { *place = 1; ++*(long*)State; } }
    private static MethodDefinition MakeMark(ModuleDefinition module, FieldDefinition state)
    {
        MethodDefinition mark = new("Mark", MethodAttributes.Public | MethodAttributes.Static | MethodAttributes.HideBySig,
            module.TypeSystem.Void)
        { AggressiveInlining = true };
        mark.Parameters.Add(new ParameterDefinition("block", ParameterAttributes.None, module.TypeSystem.Int32));
        ILProcessor il = mark.Body.GetILProcessor();
        Instruction end = il.Create(OpCodes.Ret);
        il.Emit(OpCodes.Ldsfld, state);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4, MapOffset);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ldind_U1);
        il.Emit(OpCodes.Brtrue, end);
        il.Emit(OpCodes.Ldsfld, state);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4, MapOffset);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Stind_I1);
        il.Emit(OpCodes.Ldsfld, state);
        il.Emit(OpCodes.Ldsfld, state);
        il.Emit(OpCodes.Ldind_I8);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Conv_I8);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Stind_I8);
        il.Append(end);
        return mark;
    }

    private static MethodDefinition MakeInitializer(ModuleDefinition module, FieldDefinition state, int blocks)
    {
        MethodDefinition initializer = LibraryRewriter.MakeStaticConstructor(module);
        ILProcessor il = initializer.Body.GetILProcessor();
        il.Emit(OpCodes.Ldc_I4, MapOffset + blocks);
        il.Emit(OpCodes.Conv_U);
        il.Emit(OpCodes.Call, module.ImportReference(typeof(NativeMemory).GetMethod(nameof(NativeMemory.AllocZeroed), [typeof(nuint)])));
        il.Emit(OpCodes.Stsfld, state);
        il.Emit(OpCodes.Ret);
        return initializer;
    }

    private static int Instrument(MethodDefinition method, MethodDefinition mark, int blocks)
    {
        MethodBody body = method.Body;
        body.SimplifyMacros();
        HashSet<Instruction> leaders = [body.Instructions[0]];
        foreach (Instruction instruction in body.Instructions)
        {
            if (instruction.Operand is Instruction target)
            {
                leaders.Add(target);
            }
            else if (instruction.Operand is Instruction[] targets)
            {
                leaders.UnionWith(targets);
            }

            if (instruction.OpCode.FlowControl == FlowControl.Cond_Branch && instruction.Next is { } next)
            {
                leaders.Add(next);
            }
        }

        // A prefix belongs to what follows it, and handlers begin with their exception on the stack, which does no harm to a call that
        // takes nothing off it.
        Dictionary<Instruction, Instruction> moved = [];
        ILProcessor il = body.GetILProcessor();
        foreach (Instruction leader in leaders.OrderBy(one => one.Offset).ToList())
        {
            if (leader.Previous is { OpCode.OpCodeType: OpCodeType.Prefix })
            {
                continue;
            }

            Instruction first = il.Create(OpCodes.Ldc_I4, blocks++);
            il.InsertBefore(leader, first);
            il.InsertBefore(leader, il.Create(OpCodes.Call, mark));
            moved[leader] = first;
        }

        Redirect(body, moved);
        body.OptimizeMacros();
        return blocks;
    }

    private static void Redirect(MethodBody body, Dictionary<Instruction, Instruction> moved)
    {
        Instruction? To(Instruction? old) => old is not null && moved.TryGetValue(old, out Instruction? now) ? now : old;
        foreach (Instruction instruction in body.Instructions)
        {
            if (instruction.Operand is Instruction target)
            {
                instruction.Operand = To(target);
            }
            else if (instruction.Operand is Instruction[] targets)
            {
                instruction.Operand = Array.ConvertAll(targets, one => To(one)!);
            }
        }

        foreach (ExceptionHandler handler in body.ExceptionHandlers)
        {
            handler.TryStart = To(handler.TryStart);
            handler.TryEnd = To(handler.TryEnd);
            handler.HandlerStart = To(handler.HandlerStart);
            handler.HandlerEnd = To(handler.HandlerEnd);
            handler.FilterStart = To(handler.FilterStart);
        }
    }
}
