using CoAP.NET.Site.Reference;

namespace CoAP.NET.Site.Tests.Reference;

/// <summary>Types and members stand on pages as C# declares them.</summary>
public sealed class DeclarationTests
{
    [Theory]
    [InlineData("IShape`1", "public interface IShape<out T>")]
    [InlineData("ShapeBase", "public abstract class ShapeBase")]
    [InlineData("Square", "public sealed class Square : ShapeBase, IShape<double>, IComparable<Square>, IDisposable")]
    [InlineData("Point", "public readonly record struct Point")]
    [InlineData("Sides", "[Flags]\npublic enum Sides : byte")]
    [InlineData("Drawing`1", "public delegate bool Drawing<in T>(T shape)\n    where T : ShapeBase;")]
    [InlineData("ShapeExtensions", "public static class ShapeExtensions")]
    public void A_type_is_written_as_it_is_declared(string name, string declaration) =>
        Assert.Equal(declaration, Declaration.OfType(DeclaredLibrary.Type(name)));

    [Theory]
    [InlineData("ShapeBase", ".ctor", "protected ShapeBase(int sides);")]
    [InlineData("ShapeBase", "Changed", "public event EventHandler<EventArgs>? Changed;")]
    [InlineData("ShapeBase", "Sides", "public int? Sides { get; }")]
    [InlineData("ShapeBase", "Name", "public required string Name { get; init; }")]
    [InlineData("ShapeBase", "Area", "public abstract double Area { get; }")]
    [InlineData("ShapeBase", "Draw", "protected virtual void Draw(string canvas);")]
    [InlineData("IShape`1", "Longest", "T Longest { get; }")]
    [InlineData("Square", "Corners", "public const int Corners = 4;")]
    [InlineData("Square", "Area", "public override double Area { get; }")]
    [InlineData("Square", "this[]", "public double this[Index index] { get; }")]
    [InlineData("Square", "op_GreaterThan", "public static bool operator >(Square left, Square right);")]
    [InlineData("Square", "op_Explicit", "public static explicit operator double(Square square);")]
    [InlineData("Square", "First", "public static ref readonly byte First(in ReadOnlySpan<byte> bytes, ref int count);")]
    [InlineData("Square", "Grow", "[Obsolete(\"Use Scale<T> instead.\")]\npublic void Grow();")]
    [InlineData("Square", "Shrink", "[Experimental(\"SITE001\")]\npublic void Shrink();")]
    [InlineData("Point", "X", "public int X { get; init; }")]
    [InlineData("Point", ".ctor", "public Point(int X, int Y);")]
    [InlineData("ShapeExtensions", "Double", "public static void Double(this ShapeBase shape);")]
    [InlineData("ShapeExtensions", "Diagonal", "extension(Square square)\npublic double Diagonal { get; }")]
    [InlineData("ShapeExtensions", "Unit", "extension(Square)\npublic static Square Unit();")]
    public void A_member_is_written_as_it_is_declared(string type, string name, string declaration) =>
        Assert.Equal(declaration, Declaration.OfMember(DeclaredLibrary.Member(type, name)));

    [Fact]
    public void A_long_declaration_has_a_line_for_each_parameter_and_constraint()
    {
        Assert.Equal(
            """
            public static bool TryFind<TKey, TValue>(
                IReadOnlyDictionary<TKey, TValue?> values,
                out TValue? found,
                params string[] names)
                where TKey : notnull, IComparable<TKey>
                where TValue : class, new();
            """.ReplaceLineEndings("\n"),
            Declaration.OfMember(DeclaredLibrary.Member("Square", "TryFind")));
        Assert.Equal(
            """
            public static Task WaitAsync(
                TimeSpan? time = null,
                string separator = ", ",
                DayOfWeek day = DayOfWeek.Sunday,
                CancellationToken cancellationToken = default);
            """.ReplaceLineEndings("\n"),
            Declaration.OfMember(DeclaredLibrary.Member("Square", "WaitAsync")));
    }

    [Fact]
    public void What_the_compiler_adds_to_a_record_has_no_section() => Assert.Equal(
        ["Point(int, int)", "X", "Y"],
        Surface.MembersOf(DeclaredLibrary.Type("Point")).Select(Names.OfMember).Order(StringComparer.Ordinal));
}
