using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace CoAP.NET.Simulation.Traces;

/// <summary>
/// Rewrites a copy of a library so that it tells in which order one thread first enters its types. A nested type counts as the type around
/// it.
/// </summary>
internal static class CallTracer
{
    public const string TypeName = "CoAP.NET.CallTrace";
    public const string OrderField = "Order";
    public const string CountField = "Count";
    public const string ThreadField = "Thread";

    /// <summary>Rewrites an assembly.</summary>
    /// <param name="path">Where the assembly is.</param>
    /// <returns>The assembly rewritten, and the names of its types; the index of a name is that in <see cref="OrderField"/>.</returns>
    public static (byte[] Assembly, string[] Types) Rewrite(string path)
    {
        string[] names = [];
        return (LibraryRewriter.Rewrite(path, module => names = Trace(module)), names);
    }

    private static string[] Trace(ModuleDefinition module)
    {
        TypeDefinition[] types = [.. module.Types.Where(type => type.IsClass && !type.IsValueType && !type.Name.StartsWith('<'))];
        TypeDefinition trace = LibraryRewriter.MakeStaticClass(module, "CallTrace");
        FieldDefinition order = AddField(trace, OrderField, new ArrayType(module.TypeSystem.Int32));
        FieldDefinition count = AddField(trace, CountField, module.TypeSystem.Int32);
        FieldDefinition thread = AddField(trace, ThreadField, module.TypeSystem.Int32);
        MethodDefinition enter = MakeEnter(module, order, count, thread);
        trace.Methods.Add(enter);
        trace.Methods.Add(MakeInitializer(module, order, types.Length));
        for (int i = 0; i < types.Length; i++)
        {
            foreach (MethodDefinition method in MethodsOf(types[i]))
            {
                method.Body.SimplifyMacros();
                ILProcessor il = method.Body.GetILProcessor();
                Instruction first = method.Body.Instructions[0];
                il.InsertBefore(first, il.Create(OpCodes.Ldc_I4, i));
                il.InsertBefore(first, il.Create(OpCodes.Call, enter));
                method.Body.OptimizeMacros();
            }
        }

        module.Types.Add(trace);
        return [.. types.Select(type => type.FullName)];
    }

    // What only reads or stores a value is not a step of its own.
    private static IEnumerable<MethodDefinition> MethodsOf(TypeDefinition type) =>
        type.Methods.Where(method => method.HasBody && method.Body.Instructions.Count > 0 && !method.IsGetter && !method.IsSetter
                && !method.IsConstructor)
            .Concat(type.NestedTypes.SelectMany(MethodsOf));

    private static FieldDefinition AddField(TypeDefinition type, string name, TypeReference of)
    {
        FieldDefinition field = new(name, FieldAttributes.Public | FieldAttributes.Static, of);
        type.Fields.Add(field);
        return field;
    }

    // static void Enter(int type) { if (Thread == Environment.CurrentManagedThreadId && Order[type] == 0) Order[type] = ++Count; }
    private static MethodDefinition MakeEnter(ModuleDefinition module, FieldDefinition order, FieldDefinition count, FieldDefinition thread)
    {
        MethodDefinition enter = new("Enter", MethodAttributes.Public | MethodAttributes.Static | MethodAttributes.HideBySig,
            module.TypeSystem.Void);
        enter.Parameters.Add(new ParameterDefinition("type", ParameterAttributes.None, module.TypeSystem.Int32));
        ILProcessor il = enter.Body.GetILProcessor();
        Instruction end = il.Create(OpCodes.Ret);
        il.Emit(OpCodes.Ldsfld, thread);
        il.Emit(OpCodes.Call,
            module.ImportReference(typeof(Environment).GetProperty(nameof(Environment.CurrentManagedThreadId))!.GetMethod));
        il.Emit(OpCodes.Bne_Un, end);
        il.Emit(OpCodes.Ldsfld, order);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldelem_I4);
        il.Emit(OpCodes.Brtrue, end);
        il.Emit(OpCodes.Ldsfld, order);
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldsfld, count);
        il.Emit(OpCodes.Ldc_I4_1);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Dup);
        il.Emit(OpCodes.Stsfld, count);
        il.Emit(OpCodes.Stelem_I4);
        il.Append(end);
        return enter;
    }

    private static MethodDefinition MakeInitializer(ModuleDefinition module, FieldDefinition order, int types)
    {
        MethodDefinition initializer = LibraryRewriter.MakeStaticConstructor(module);
        ILProcessor il = initializer.Body.GetILProcessor();
        il.Emit(OpCodes.Ldc_I4, types);
        il.Emit(OpCodes.Newarr, module.TypeSystem.Int32);
        il.Emit(OpCodes.Stsfld, order);
        il.Emit(OpCodes.Ret);
        return initializer;
    }
}
