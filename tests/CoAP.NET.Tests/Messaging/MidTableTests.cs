using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The index of Message IDs against a dictionary.</summary>
public sealed class MidTableTests
{
    [Theory]
    [InlineData(1_300)]
    [InlineData(5_000)]
    public void Searches_stay_short_when_new_Message_IDs_come_around_to_old_ones(int old)
    {
        // A peer counts its Message IDs up; the first of them stay, as those of a newcomer do, while a window of later ones moves on past
        // the capacity.
        MidTable table = default;
        Queue<ushort> window = new();
        int longest = 0;
        for (int i = 0; i < 60_000; i++)
        {
            if (table.IsFull)
            {
                table.Grow();
            }

            table.Set((ushort)(7_000 + i), 1);
            if (i >= old)
            {
                window.Enqueue((ushort)(7_000 + i));
            }

            if (window.Count > 9_500)
            {
                Assert.True(table.Remove(window.Dequeue()));
            }

            if (i % 1_000 == 0)
            {
                longest = Math.Max(longest, table.LongestDistance);
            }
        }

        Assert.InRange(longest, 1, 200);
    }

    [Theory]
    [InlineData(1, 65_536)]
    [InlineData(2, 64)]
    [InlineData(3, 7)]
    [InlineData(4, 4096)]
    public void Behaves_like_a_dictionary(int seed, int range)
    {
        MidTable table = default;
        Dictionary<ushort, ulong> model = [];
        uint state = (uint)seed * 2_654_435_761;
        for (int i = 0; i < 50_000; i++)
        {
            state = (state * 1_664_525) + 1_013_904_223;
            ushort mid = (ushort)((state >> 8) % range * (seed == 4 ? 16u : 1u));
            switch ((state >> 28) % 4)
            {
                case 0 or 1:
                    ulong place = ((ulong)state << 12) | 1;
                    if (table.IsFull)
                    {
                        table.Grow();
                    }

                    table.Set(mid, place);
                    model[mid] = place;
                    break;
                case 2:
                    Assert.Equal(model.Remove(mid), table.Remove(mid));
                    break;
                default:
                    Assert.Equal(model.GetValueOrDefault(mid), table.Find(mid));
                    break;
            }

            Assert.Equal(model.Count, table.Count);
        }

        Assert.All(model, pair => Assert.Equal(pair.Value, table.Find(pair.Key)));
        ulong[] kept = [.. table.Entries.ToArray().Where(entry => entry != 0 && MidTable.MidOf(entry) % 3 == 0)];
        table.Rebuild(kept, spare: 1);
        Assert.All(model, pair => Assert.Equal(pair.Key % 3 == 0 ? pair.Value : 0, table.Find(pair.Key)));
        Assert.False(table.IsFull);
        table.Rebuild(default, spare: 0);
        Assert.Equal(0, table.Bytes);
    }

    [Fact]
    public void Takes_all_message_ids()
    {
        MidTable table = default;
        for (int mid = 0; mid < 65_536; mid++)
        {
            if (table.IsFull)
            {
                table.Grow();
            }

            table.Set((ushort)mid, (ulong)mid + 1);
        }

        Assert.All(Enumerable.Range(0, 65_536), mid => Assert.Equal((ulong)mid + 1, table.Find((ushort)mid)));
        Assert.InRange(table.Bytes, 65_536 * 8, (65_536 * 16) + 24);
    }
}
