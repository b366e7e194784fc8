from astra_edu.course.widgets.design_space import DesignSpace as DesignSpace
from astra_edu.course.widgets.drawing import Timing as Timing
from astra_edu.course.widgets.link_player import LinkPlayer as LinkPlayer
from astra_edu.course.widgets.player import Player as Player
from astra_edu.course.widgets.timeline import Timeline as Timeline
