using FsCheck;
using FsCheck.Fluent;

namespace CoAP.NET.Tests.Options;

/// <summary>Order, changes and the collection's behaviour on its own content.</summary>
public sealed class OptionCollectionTests
{
    [Fact]
    [Rfc("7252-3.1-1")]
    public void Options_are_ordered_by_number_and_then_by_insertion()
    {
        CoapOptionCollection options = new()
        {
            new UriQueryOption("b=2"), new UriPathOption("x"), new UriQueryOption("a=1"), new ETagOption([1]), new UriPathOption("y"),
        };

        Assert.Equal("ETag: 01, Uri-Path: x, Uri-Path: y, Uri-Query: b=2, Uri-Query: a=1", options.ToString());
        Assert.Equal(["x", "y"], options.UriPath);
        Assert.Equal(["b=2", "a=1"], options.UriQuery);
    }

    [Fact]
    public void A_value_of_a_collection_can_be_added_to_the_same_collection()
    {
        CoapOptionCollection options = new();
        options.Add(1000, Encoding.ASCII.GetBytes("abcdefgh"));
        for (int i = 0; i < 200; i++)
        {
            options.Add(999 - i, options.ValueAt(0));
        }

        Assert.Equal(201, options.Count);
        Assert.All(Enumerable.Range(0, 201), i => Assert.Equal("abcdefgh"u8, options.ValueAt(i)));
    }

    [Fact]
    public void A_value_read_before_a_change_keeps_its_bytes()
    {
        CoapOptionCollection options = new();
        options.Add(new UriPathOption("before"));
        ReadOnlySpan<byte> value = options.ValueAt(0);

        options.Clear();
        options.Add(new UriPathOption("after!"));
        Assert.Equal("before"u8, value);

        value = options.ValueAt(0);
        options.Set(new UriPathOption("again!"));
        Assert.Equal("after!"u8, value);
        Assert.Equal(["again!"], options.UriPath);
    }

    [Fact]
    public void Collection_can_be_added_to_itself()
    {
        CoapOptionCollection options =
            new() { new UriPathOption("a"), new UriPathOption("b"), new UriQueryOption("q"), new ETagOption([1]) };

        options.AddRange(options);
        Assert.Equal(["a", "b", "a", "b"], options.UriPath);
        Assert.Equal(8, options.Count);

        options.AddAll(options);
        Assert.Equal(["a", "b", "a", "b", "a", "b", "a", "b"], options.UriPath);
        Assert.Equal(["q", "q", "q", "q"], options.UriQuery);
        Assert.Equal(16, options.Count);
    }

    [Fact]
    public void AddAll_copies_every_option_unchanged()
    {
        // Uri-Port has two bytes at most, and nobody knows 65000.
        CoapOptionCollection options = new CoapOptionCollection().Add(65_000, [1]).Add(OptionNumber.UriPort, [1, 2, 3]).Add(1, []);
        CoapOptionCollection copy = new() { new UriPathOption("a") };

        Assert.Same(copy, copy.AddAll(options));
        options.Clear();

        Assert.Equal([1, OptionNumber.UriPort, OptionNumber.UriPath, 65_000], Enumerable.Range(0, 4).Select(copy.NumberAt));
        Assert.Equal([1, 2, 3], copy.ValueAt(1).ToArray());
        Assert.Throws<ArgumentNullException>(() => copy.AddAll(null!));
    }

    [Fact]
    public void A_query_over_a_collection_can_be_added_to_the_same_collection()
    {
        CoapOptionCollection options = new() { new UriPathOption("a"), new UriPathOption("b") };

        options.AddRange(options.GetAll<UriPathOption>());

        Assert.Equal(["a", "b", "a", "b"], options.UriPath);
    }

    [Fact]
    public void Changing_a_collection_during_enumeration_throws()
    {
        CoapOptionCollection options = new() { new UriPathOption("a") };

        Assert.Throws<InvalidOperationException>(() =>
        {
            foreach (CoapOption option in options)
            {
                options.Add(option);
            }
        });
        Assert.Throws<InvalidOperationException>(() =>
        {
            foreach (UriPathOption segment in options.GetAll<UriPathOption>())
            {
                options.Remove(segment.Number);
            }
        });
    }

    [Fact]
    public void Setting_an_option_again_and_again_needs_no_more_memory()
    {
        CoapOptionCollection options = new() { new UriPathOption("stays") };
        options.Set(new Block2Option(0, false, 64));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100_000; i++)
        {
            options.Block2 = new BlockValue(i, false, 2);
        }

        // A new buffer of 32 to 64 bytes every ten or twenty changes, and never a larger one.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000 * 16);
        Assert.Equal(new BlockValue(99_999, false, 2), options.Block2);
        Assert.Equal(["stays"], options.UriPath);
    }

    [Fact]
    public void Received_options_in_a_shared_block_and_added_options_are_read_together()
    {
        byte[] block = "abcdef"u8.ToArray();
        CoapOptionCollection options = new();
        options.UseBlock(block, 0);
        options.AppendReceived(OptionNumber.UriPath, 1, 2);
        options.AppendReceived(OptionNumber.UriPath, 4, 2);
        options.Add(new UriPathOption("g")).Add(new UriHostOption("h"));

        Assert.Equal(["bc", "ef", "g"], options.UriPath);
        Assert.Equal("h", options.UriHost);

        CoapOptionCollection copy = new();
        copy.AddAll(options);
        Array.Clear(block);
        Assert.Equal(["bc", "ef", "g"], copy.UriPath);

        options.Clear();
        Assert.Empty(options);
        Assert.False(options.TryGetValue(OptionNumber.UriPath, out _));
    }

    [Fact]
    public void Options_can_be_removed_by_number_and_by_index()
    {
        CoapOptionCollection options =
            new() { new UriPathOption("a"), new UriPathOption("b"), new UriQueryOption("q"), new UriHostOption("h") };

        options.RemoveAt(1);
        Assert.Equal(["b"], options.UriPath);
        Assert.True(options.Remove(OptionNumber.UriPath));
        Assert.False(options.Remove(OptionNumber.UriPath));
        Assert.Equal("Uri-Host: h, Uri-Query: q", options.ToString());
        Assert.Throws<ArgumentOutOfRangeException>(() => options.RemoveAt(2));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.RemoveAt(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Add(65536, []));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Add(-1, []));
    }

    [Fact]
    public void A_collection_behaves_like_a_sorted_list_under_random_changes()
    {
        Gen<int> step = Gen.Choose(0, 100_000);
        Prop.ForAll(step.ListOf().ToArbitrary(), steps =>
        {
            CoapOptionCollection options = new();
            List<(int Number, string Value)> model = [];
            foreach (int n in steps)
            {
                int number = n % 7;
                byte[] value = new byte[n % 23];
                Array.Fill(value, (byte)n);
                switch (n % 10)
                {
                    case 0:
                        options.Remove(number);
                        model.RemoveAll(option => option.Number == number);
                        break;
                    case 1 when model.Count > 0:
                        options.RemoveAt(n % model.Count);
                        model.RemoveAt(n % model.Count);
                        break;
                    case 2 when model.Count > 0:
                        options.Add(number, options.ValueAt(n % model.Count));
                        model.Insert(model.FindLastIndex(option => option.Number <= number) + 1, (number, model[n % model.Count].Value));
                        break;
                    case 3 when n % 50 == 3:
                        options.Clear();
                        model.Clear();
                        break;
                    default:
                        options.Add(number, value);
                        model.Insert(model.FindLastIndex(option => option.Number <= number) + 1, (number, Wire.Hex(value)));
                        break;
                }
            }

            return model.SequenceEqual(Enumerable.Range(0, options.Count).Select(i => (options.NumberAt(i), Wire.Hex(options.ValueAt(i)))));
        }).Check(OptionCampaign.Config);
    }
}
