using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace CoAP.NET.RfcTable;

/// <summary>
/// Finds which rows the tests of an assembly name by <c>[Rfc("...")]</c>. Reads metadata only, so no test framework need be there.
/// </summary>
internal static class TestRows
{
    public static IEnumerable<(string Row, string Test)> Read(string assembly)
    {
        using PEReader file = new(File.OpenRead(assembly));
        MetadataReader metadata = file.GetMetadataReader();
        List<(string Row, string Test)> found = [];
        foreach (TypeDefinition type in metadata.TypeDefinitions.Select(metadata.GetTypeDefinition))
        {
            string name = metadata.GetString(type.Name);
            found.AddRange(RowsOf(metadata, type.GetCustomAttributes()).Select(row => (row, name)));
            foreach (MethodDefinition method in type.GetMethods().Select(metadata.GetMethodDefinition))
            {
                string test = $"{name}.{metadata.GetString(method.Name)}";
                found.AddRange(RowsOf(metadata, method.GetCustomAttributes()).Select(row => (row, test)));
            }
        }

        return found;
    }

    private static IEnumerable<string> RowsOf(MetadataReader metadata, CustomAttributeHandleCollection attributes) =>
        from handle in attributes
        let attribute = metadata.GetCustomAttribute(handle)
        where NameOf(metadata, attribute) == "RfcAttribute"
        from argument in attribute.DecodeValue(AttributeTypes.Instance).FixedArguments
        from row in (IEnumerable<CustomAttributeTypedArgument<string>>)argument.Value!
        select (string)row.Value!;

    private static string NameOf(MetadataReader metadata, CustomAttribute attribute)
    {
        EntityHandle type = attribute.Constructor.Kind == HandleKind.MethodDefinition
            ? metadata.GetMethodDefinition((MethodDefinitionHandle)attribute.Constructor).GetDeclaringType()
            : metadata.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;
        return type.Kind switch
        {
            HandleKind.TypeDefinition => metadata.GetString(metadata.GetTypeDefinition((TypeDefinitionHandle)type).Name),
            HandleKind.TypeReference => metadata.GetString(metadata.GetTypeReference((TypeReferenceHandle)type).Name),
            _ => string.Empty,
        };
    }

    /// <summary>Names of the types in the arguments of attributes; only strings matter here.</summary>
    private sealed class AttributeTypes : ICustomAttributeTypeProvider<string>
    {
        public static AttributeTypes Instance { get; } = new();

        public string GetPrimitiveType(PrimitiveTypeCode typeCode) => typeCode.ToString();

        public string GetSystemType() => "Type";

        public string GetSZArrayType(string elementType) => elementType + "[]";

        public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
            reader.GetString(reader.GetTypeDefinition(handle).Name);

        public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) =>
            reader.GetString(reader.GetTypeReference(handle).Name);

        public string GetTypeFromSerializedName(string name) => name;

        public PrimitiveTypeCode GetUnderlyingEnumType(string type) => PrimitiveTypeCode.Int32;

        public bool IsSystemType(string type) => type == "Type";
    }
}
