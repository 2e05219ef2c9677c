namespace CoAP.NET.Site.Tests.Reference;

/// <summary>Comments on pages: inherited ones, links, and text that means something to Markdown or to the templates of the site.</summary>
public sealed class CommentTests
{
    private static readonly string s_square = DeclaredLibrary.Page("Square");

    [Fact]
    public void A_member_without_a_comment_of_its_own_has_that_of_its_base_class_or_interface()
    {
        Assert.Contains("### Area {#m-area}\n\nThe area.", s_square, StringComparison.Ordinal);
        Assert.Contains("### Longest {#m-longest}\n\nThe longest side.", s_square, StringComparison.Ordinal);
        Assert.Contains("How many sides changed.", s_square, StringComparison.Ordinal);
        Assert.Contains("- `ArgumentOutOfRangeException`: The factor is not above 0.", s_square, StringComparison.Ordinal);
    }

    [Fact]
    public void An_inherited_comment_names_parameters_as_the_member_does() =>
        Assert.Contains("- `howMuch` <code>double</code>: The factor, above 0.", s_square, StringComparison.Ordinal);

    [Fact]
    public void A_member_of_an_interface_of_the_platform_has_the_comment_of_the_platform() =>
        Assert.Matches(@"### Dispose\(\) \{#m-dispose\}\n\n\w+", s_square);

    [Fact]
    public void A_reference_becomes_a_link_and_one_to_the_platform_becomes_code()
    {
        const string Folder = "/reference/CoAP.NET.Site.Tests/CoAP.NET.Site.Tests.Declared";
        Assert.Contains($"[`ShapeBase.Draw`]({Folder}/ShapeBase.md#m-draw-string)", s_square, StringComparison.Ordinal);
        string page = DeclaredLibrary.Page("ShapeBase");
        Assert.Contains($"[`IShape<T>`]({Folder}/IShape-1.md)", page, StringComparison.Ordinal);
        Assert.Contains("A circle has `null`.", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Text_of_comments_is_neither_template_nor_HTML_nor_Markdown()
    {
        Assert.Contains("<span v-pre>{{</span> braces }}", s_square, StringComparison.Ordinal);
        Assert.Contains("`{{ code }}`", s_square, StringComparison.Ordinal);
        Assert.Contains("a \\| b, \\*stars\\*, \\[brackets\\](no-link)", s_square, StringComparison.Ordinal);
        Assert.Contains("&lt;script&gt;alert(1)&lt;/script&gt;", s_square, StringComparison.Ordinal);
        Assert.Contains("\n1\\. is no list, and", s_square, StringComparison.Ordinal);
        Assert.DoesNotContain("<script", s_square, StringComparison.Ordinal);
    }

    [Fact]
    public void Lists_and_examples_keep_their_form()
    {
        Assert.Contains("- First.\n- **Term**: Second.", s_square, StringComparison.Ordinal);
        Assert.Contains(
            "```csharp\nSquare square = new(2) { Name = \"a\" };\n    square.Scale(2);\n```", s_square, StringComparison.Ordinal);
    }

    [Fact]
    public void Obsolete_and_experimental_members_are_marked()
    {
        Assert.Contains("::: warning Obsolete\nUse Scale&lt;T&gt; instead.\n:::", s_square, StringComparison.Ordinal);
        Assert.Contains("::: warning Experimental\n", s_square, StringComparison.Ordinal);
    }

    [Fact]
    public void Values_of_an_enum_stand_in_a_table_and_flags_in_hexadecimal() => Assert.Contains(
        "`Right` | 0x10 | The right one \\| the other. |", DeclaredLibrary.Page("Sides"), StringComparison.Ordinal);

    [Fact]
    public void Extensions_stand_on_the_pages_of_the_types_that_they_apply_to()
    {
        string extensions = s_square[s_square.IndexOf("## Extension methods\n", StringComparison.Ordinal)..];
        Assert.Matches(@"\| \[`Diagonal`\]\(\S+\) \| `CoAP\.NET\.Site\.Tests\.Declared` \| The length", extensions);
        Assert.Matches(@"\| \[`Double`\]\(\S+#m-double-shapebase\) \| `CoAP\.NET\.Site\.Tests\.Declared` \| Doubles", extensions);
    }
}
